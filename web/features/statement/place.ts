/** Where in a statement a page stands. Pages go on from a line, so that none is shown twice when new ones come. */
import type { RangeName } from '../log/range.ts';

/** What the statement begins with: its balances are counted through from the first line to the last. */
export const FIRST_RANGE: RangeName = 'all';

const OLDER = 'o.';
const NEWER = 'n.';

/** As the address has them. */
export const olderThan = (cursor: string): string => OLDER + cursor;
export const newerThan = (cursor: string): string => NEWER + cursor;

/** What the call is asked for; an address that says something else shows the newest lines. */
export function readPlace(text: string | undefined): { before?: string; after?: string } {
  const cursor = text?.slice(OLDER.length) ?? '';
  if (!/^\d{1,15}_[0-9a-f-]{36}_\d{1,3}$/.test(cursor)) return {};
  if (text?.startsWith(OLDER)) return { before: cursor };
  return text?.startsWith(NEWER) ? { after: cursor } : {};
}
