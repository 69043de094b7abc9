/** Keeps the ledger as long as the log: charges older than the log become one row a user and month. */
import { sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import { HOUR_SEC } from '../core/time.ts';
import { takeTime } from '../db/brief.ts';
import type { Database, Tx } from '../db/client.ts';
import { inOrderOfIndex } from '../db/looks.ts';
import { numberList, rowsOf } from '../db/statement.ts';
import { MOVEMENT } from './ledger.ts';

/** The note of a row that stands for a month of charges. */
const FOLDED = 'folded';

const monthOf = (second: string) => sql.raw(`to_char(to_timestamp(${second}) at time zone 'UTC', 'YYYY-MM')`);

/** The reference of a user's month is always the same, so that folding again adds to the row that is there. */
const monthRef = (user: string, month: string) =>
  sql.raw(`md5('${FOLDED} ' || ${user} || ' ' || ${month})::uuid`);

/**
 * Of some seconds those that folding has reached: a charge of their month was folded that is as old, or newer. Whatever is
 * left of it then, its month is folded from its beginning on.
 */
export async function reachedByFolding(
  tx: Tx,
  userId: number,
  seconds: readonly number[],
): Promise<Set<number>> {
  if (seconds.length === 0) return new Set();
  const rows = rowsOf<{ second: number }>(
    await tx.execute(sql`
      with asked as materialized (
        select second, ${monthOf('second')} as month from unnest(${numberList(seconds)}::bigint[]) as s (second)
      ), folded as materialized (
        select month, until from (select distinct month from asked) months cross join lateral (
          select created_at as until from ledger
          where ref = ${monthRef(`${userId}`, 'month')} and kind = ${MOVEMENT.charge}::smallint offset 0
        ) reached
      )
      select second from asked join folded using (month) where second <= until`),
  );
  return new Set(rows.map(({ second }) => second));
}

/** Of users by their number, and of each the oldest charges first. */
const foldSlice = (after: number, last: number, beforeSec: number) => sql`
  with old as (
    delete from ledger where ctid = any(array(
      select charge.at from (select id from users where id > ${after}::bigint and id <= ${last}::bigint) u
        cross join lateral (
          select ctid as at from ledger
          where user_id = u.id and kind = ${MOVEMENT.charge}::smallint and created_at < ${beforeSec}::bigint
            and note is distinct from ${FOLDED}
          order by created_at nulls first limit ${limits.foldCharges}
        ) charge
      order by u.id limit ${limits.foldCharges}
    )) returning user_id, delta, ${monthOf('created_at')} as month, created_at
  ), sums as (
    select user_id, month, sum(delta)::bigint as delta, max(created_at) as created_at, count(*) as n from old group by 1, 2
  ), folded as (
    insert into ledger (ref, kind, user_id, delta, created_at, note)
    select ${monthRef('user_id', 'month')}, ${MOVEMENT.charge}::smallint, user_id, delta, created_at, ${FOLDED}::text from sums order by 1
    on conflict (ref, kind) do update set
      delta = ledger.delta + excluded.delta, created_at = greatest(ledger.created_at, excluded.created_at)
  )
  select coalesce(sum(n), 0)::bigint as n from sums`;

/**
 * Folds charges made before the hour of `beforeSec`, some of them by a statement, each of which leaves the books whole; returns
 * how many rows were folded, fewer when the signal aborts. Balances and sums stay as they are. Whenever it ends, one hour
 * of one user is folded in part at most.
 */
export async function foldLedger(db: Database, beforeSec: number, signal?: AbortSignal): Promise<number> {
  const before = beforeSec - (beforeSec % HOUR_SEC);
  let folded = 0;
  let after = 0;
  while (!signal?.aborted) {
    const [page] = await db.query<{ last: number | null }>(
      `select max(id) as last from (select id from users where id > $1 order by id limit ${limits.foldUsers}) page`,
      [after],
    );
    const last = page?.last;
    if (!last) break;
    // By the index of a user's movements, so that a slice touches what it takes alone.
    const rows = await db.orm.transaction(async (tx) => {
      await takeTime(tx);
      return inOrderOfIndex(tx, () => tx.execute(foldSlice(after, last, before)));
    });
    const n = rowsOf<{ n: number }>(rows)[0]?.n ?? 0;
    folded += n;
    if (n < limits.foldCharges) after = last;
  }
  return folded;
}
