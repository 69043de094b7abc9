/** The part of the address that every list shares: page, size, order. Defaults are left out, so that links stay short. */
import * as z from 'zod/mini';
import type { Api, Query } from './api.ts';
import { PAGE_SIZES } from './preferences.ts';

const optional = <T extends z.core.$ZodType>(schema: T) => z.catch(z.optional(schema), undefined);

/** A text of the search, such as a filter; nonsense counts as absent. */
export const searchText = optional(z.string().check(z.maxLength(300)));
export const searchChoice = <const C extends readonly [string, ...string[]]>(choices: C) =>
  optional(z.enum(choices));

/** Spread into a list's search schema. */
export const listFields = {
  /** Page, from 1. */
  p: optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000_000))),
  size: optional(z.coerce.number().check(z.refine((size) => PAGE_SIZES.some((one) => one === size)))),
  /** Name of an order; a minus before it turns it round. */
  sort: searchText,
};

export interface ListSearch {
  p?: number | undefined;
  size?: number | undefined;
  sort?: string | undefined;
}

export interface Page<Row> {
  items: Row[];
  total: number;
  /** The page shown, from 1: the last one when a later one was asked for. */
  page: number;
  size: number;
}

interface Answer<Row> {
  items: Row[];
  total: number;
}

/** One page of a list that counts from 1, with whatever `More` it tells. A page beyond the end gives the last one. */
export async function loadPage<Row, More = unknown>(
  api: Api,
  path: string,
  query: Query,
  { page, size }: { page: number; size: number },
): Promise<Page<Row> & More> {
  const ask = (p: number) => api.get<Answer<Row> & More>(path, { ...query, p, page_size: size });
  const answer = await ask(page);
  const last = Math.max(1, Math.ceil(answer.total / size));
  if (answer.items.length > 0 || page <= last) return { ...answer, page, size };
  return { ...(await ask(last)), page: last, size };
}
