/** The part of the address that every list shares: page, size, order. Defaults are left out, so that links stay short. */
import { COLUMN_MAX, type WholeColumn } from '@core/bounds.ts';
import { type Order, ordersOf } from '@core/order.ts';
import * as z from 'zod/mini';
import { PAGE_SIZES } from './preferences.ts';
import { rawSearch, type Unreadable } from './search.ts';

const optional = <T extends z.core.$ZodType>(schema: T) => z.catch(z.optional(schema), undefined);

/** A text of the search, such as a filter. Nonsense counts as absent; its field says so (`useUnreadable`). */
export const searchText = optional(
  z.string().check(
    z.maxLength(300),
    // The database holds no text with this character, so no filter can find one.
    z.refine((text) => !text.includes('\0')),
  ),
);
/** A whole number as it stands in the address, such as an id; as large as the call takes it. */
export const searchNumber = (column: WholeColumn) =>
  optional(
    z.string().check(
      z.regex(/^\s*\d{1,16}\s*$/),
      z.refine((text) => Number(text) <= COLUMN_MAX[column]),
    ),
  );
/** A text of which a rule tells whether it can be read. */
export const searchReadable = (isReadable: (text: string) => boolean) =>
  optional(z.string().check(z.refine(isReadable)));
export const searchChoice = <const C extends readonly [string, ...string[]]>(choices: C) =>
  optional(z.enum(choices));

/** An order of a list, by the names of its columns; what is none is dropped. */
export const searchOrder = <const Names extends readonly string[]>(names: Names) =>
  optional(z.enum(ordersOf(names)));

/** Of an address that serves two lists: the order, where it is one of this list. */
export const orderAmong = <const Names extends readonly string[]>(
  names: Names,
  sort: string | undefined,
): Order<Names[number]> | undefined => ordersOf(names).find((one) => one === sort);

/** Spread into a list's search schema. */
export const listFields = {
  /** Page, from 1. */
  p: optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000_000))),
  size: optional(z.coerce.number().check(z.refine((size) => PAGE_SIZES.some((one) => one === size)))),
};

/**
 * How a page reads its search. `filters` are fields that a control shows: what stands there and cannot be read is kept, so
 * that the control can say so, and filters nothing. Of the others what is nonsense is dropped.
 */
export function pageSearch<F extends z.core.$ZodShape, O extends z.core.$ZodShape>(filters: F, others: O) {
  const schema = z.object({ ...others, ...filters });
  const names = Object.keys(filters);
  return (
    given: Record<string, unknown>,
  ): z.output<typeof schema> & { unreadable?: Unreadable | undefined } => {
    const raw = rawSearch(given);
    const read = schema.parse(raw);
    const values: Record<string, unknown> = read;
    const unreadable = Object.fromEntries(
      names.flatMap((name) => {
        const text = String(raw[name] ?? '');
        return text.trim() !== '' && values[name] === undefined ? [[name, text]] : [];
      }),
    );
    return { ...read, unreadable: Object.keys(unreadable).length > 0 ? unreadable : undefined };
  };
}

/** `Names`: of the columns by which it can be ordered. */
export interface ListSearch<Names extends readonly string[] = []> {
  p?: number | undefined;
  size?: number | undefined;
  sort?: Order<Names[number]> | undefined;
}

export interface Page<Row> {
  items: Row[];
  total: number;
  /** The page shown, from 1: the last one when a later one was asked for. */
  page: number;
  size: number;
}

/** Asks for a page of a list under its filters, its pages counted from 1. */
export type AskPage<Row> = (paging: {
  p: number;
  page_size: number;
}) => Promise<{ items: Row[]; total: number }>;

interface Answer {
  items: readonly unknown[];
  total: number;
}

/** One page of a list that counts from 1, with whatever else its answer tells. A page beyond the end gives the last one. */
export async function loadPage<A extends Answer>(
  ask: (paging: { p: number; page_size: number }) => Promise<A>,
  { page, size }: { page: number; size: number },
): Promise<A & { page: number; size: number }> {
  const answer = await ask({ p: page, page_size: size });
  const last = Math.max(1, Math.ceil(answer.total / size));
  if (answer.items.length > 0 || page <= last) return { ...answer, page, size };
  return { ...(await ask({ p: last, page_size: size })), page: last, size };
}
