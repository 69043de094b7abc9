/** Where in a statement a page stands. Pages go on from a line, so that none is shown twice when new ones come. */
import type { RangeName } from '../log/range.ts';

/** What the statement begins with: its balances are counted through from the first line to the last. */
export const FIRST_RANGE: RangeName = 'all';

const OLDER = 'o.';
const NEWER = 'n.';

/** As the address has them. */
export const olderThan = (cursor: string): string => OLDER + cursor;
export const newerThan = (cursor: string): string => NEWER + cursor;

/** Before every line that there is. */
const BEGINNING = '0_00000000-0000-0000-0000-000000000000_0';

/** By what a statement is ordered: its balances are counted from line to line. */
export const STATEMENT_ORDERS = ['time'] as const;

/** Of the order, whether the account's first line stands first. */
export const isOldestFirst = (sort: string | undefined): boolean => sort === 'time';

/** What the call is asked for; an address that says something else shows the first lines of its order. */
export function readPlace(text: string | undefined, sort: string | undefined) {
  const place = readLine(text);
  return isOldestFirst(sort) && !place.before && !place.after ? { after: BEGINNING } : place;
}

function readLine(text: string | undefined): { before?: string; after?: string } {
  const cursor = text?.slice(OLDER.length) ?? '';
  if (!/^\d{1,15}_[0-9a-f-]{36}_\d{1,3}$/.test(cursor)) return {};
  if (text?.startsWith(OLDER)) return { before: cursor };
  return text?.startsWith(NEWER) ? { after: cursor } : {};
}
