/** The part of the address that every list shares: page, size, order. Defaults are left out, so that links stay short. */
import { COLUMN_MAX, type WholeColumn } from '@core/bounds.ts';
import { type Order, ordersOf } from '@core/order.ts';
import { PAGE_SIZES } from './preferences.ts';
import { rawSearch, type Unreadable } from './search.ts';
import {
  readFields,
  type SearchFields,
  type SearchOf,
  searchChoice,
  searchCount,
  searchReadable,
} from './search-field.ts';

/**
 * A text of the search, such as a filter. Nonsense counts as absent; its field says so (`useUnreadable`). The database holds
 * no text with the character 0, so no filter can find one.
 */
export const searchText = searchReadable((text) => text.length <= 300 && !text.includes('\0'));

/** A whole number as it stands in the address, such as an id; as large as the call takes it. */
export const searchNumber = (column: WholeColumn) =>
  searchReadable((text) => /^\s*\d{1,16}\s*$/.test(text) && Number(text) <= COLUMN_MAX[column]);

/** An order of a list, by the names of its columns; what is none is dropped. */
export const searchOrder = <const Names extends readonly string[]>(names: Names) =>
  searchChoice(ordersOf(names));

/** Of an address that serves two lists: the order, where it is one of this list. */
export const orderAmong = <const Names extends readonly string[]>(
  names: Names,
  sort: string | undefined,
): Order<Names[number]> | undefined => ordersOf(names).find((one) => one === sort);

/** Spread into the fields of a list's search. */
export const listFields = {
  /** Page, from 1. */
  p: searchCount((page) => Number.isInteger(page) && page >= 1 && page <= 1_000_000),
  size: searchCount((size) => PAGE_SIZES.some((one) => one === size)),
};

/**
 * How a page reads its search. `filters` are fields that a control shows: what stands there and cannot be read is kept, so
 * that the control can say so, and filters nothing. Of the others what is nonsense is dropped.
 */
export function pageSearch<F extends SearchFields, O extends SearchFields>(filters: F, others: O) {
  const fields = { ...others, ...filters };
  const names = Object.keys(filters);
  return (given: Record<string, unknown>): SearchOf<O & F> & { unreadable?: Unreadable | undefined } => {
    const raw = rawSearch(given);
    const read: SearchOf<O & F> = readFields(fields, raw);
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
