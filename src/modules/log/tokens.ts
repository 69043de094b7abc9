/** Names of tokens, which rows of the log have and the hourly figures do not: these know the numbers alone. */
import { sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';
import { isOfOne, type LogFilter, ofUser } from './filter.ts';

/**
 * The same filter by the numbers of the user's tokens of that name, deleted ones too: so its figures are exact, and a token
 * keeps its rows when it is renamed. A name that none of them has is that of a row: of an application, or of everybody's
 * tokens.
 */
export async function byTokenIds(tx: Tx, filter: LogFilter): Promise<LogFilter> {
  const { tokenName, tokenIds, ...others } = filter;
  if (!tokenName || !isOfOne(filter)) return filter;
  const [whose] = ofUser(filter);
  const named = rowsOf<{ id: number }>(
    // Each half has its index.
    await tx.execute(sql`
      select id from tokens where ${whose} and name = ${tokenName} and deleted_at is null
      union all
      select id from tokens where ${whose} and name = ${tokenName} and deleted_at is not null`),
  ).map(({ id }) => id);
  if (named.length === 0) return filter;
  return { ...others, tokenIds: named.filter((id) => tokenIds?.includes(id) ?? true) };
}
