/** Keeps the ledger as long as the log: charges older than the log become one row a user and month. */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import { MOVEMENT } from './ledger.ts';

/** The note of a row that stands for a month of charges. */
export const FOLDED = 'folded';

/** The reference of a user's month is always the same, so that folding again adds to the row that is there. */
const monthRefOf = (user: string, month: string): string =>
  `md5('${FOLDED} ' || ${user} || ' ' || ${month})::uuid`;
const MONTH_REF = monthRefOf('user_id', 'month');

/** Of the row that stands for the charges of a user in the month of a second. */
export const monthRefAt = (userId: number, second: number): SQL =>
  sql.raw(monthRefOf(`${userId}`, `to_char(to_timestamp(${second}) at time zone 'UTC', 'YYYY-MM')`));

const FOLD = `
  with old as (
    delete from ledger where ctid = any(array(
      select ctid from ledger
      where user_id > $1 and user_id <= $2 and kind = ${MOVEMENT.charge} and created_at < $3
        and note is distinct from '${FOLDED}'
      limit $4
    )) returning user_id, delta, to_char(to_timestamp(created_at) at time zone 'UTC', 'YYYY-MM') as month, created_at
  ), sums as (
    select user_id, month, sum(delta)::bigint as delta, max(created_at) as created_at, count(*) as n from old group by 1, 2
  ), folded as (
    insert into ledger (ref, kind, user_id, delta, created_at, note)
    select ${MONTH_REF}, ${MOVEMENT.charge}, user_id, delta, created_at, '${FOLDED}' from sums order by 1
    on conflict (ref, kind) do update set
      delta = ledger.delta + excluded.delta, created_at = greatest(ledger.created_at, excluded.created_at)
  )
  select coalesce(sum(n), 0)::bigint as n from sums`;

/**
 * Folds charges made before `beforeSec`, some of them by a statement, each of which leaves the books whole; returns how
 * many rows were folded, fewer when the signal aborts. Balances and sums stay as they are.
 */
export async function foldLedger(db: Database, beforeSec: number, signal?: AbortSignal): Promise<number> {
  let folded = 0;
  let after = 0;
  while (!signal?.aborted) {
    const [page] = await db.query<{ last: number | null }>(
      `select max(id) as last from (select id from users where id > $1 order by id limit ${limits.foldUsers}) page`,
      [after],
    );
    if (!page?.last) break;
    const [row] = await db.query<{ n: number }>(FOLD, [after, page.last, beforeSec, limits.foldCharges]);
    const n = row?.n ?? 0;
    folded += n;
    if (n < limits.foldCharges) after = page.last;
  }
  return folded;
}
