/** What is forgotten of orders: those that nobody paid, and what administrators wrote of an erased user. What was paid stays. */
import { and, eq, ne, or, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import type { Database, Tx } from '../../db/client.ts';
import { topupReversals, topups } from '../../db/schema/index.ts';
import { forgetReasons } from '../audit-log/service.ts';

/**
 * To be called before the user's row is locked, for whoever credits an order locks the order first. There may be any
 * number of them: none passes through here.
 */
export async function forgetInOrders(tx: Tx, userId: number): Promise<void> {
  // All of them, so that what is being done to one is done before; as whoever marks several locks them.
  await tx.execute(sql`
    select count(*) from (select id from topups where user_id = ${userId} order by id for update) as held`);
  const his = eq(topups.user_id, userId);
  await tx
    .update(topups)
    .set({ reason: '', void_reason: '' })
    .where(and(his, or(ne(topups.reason, ''), ne(topups.void_reason, ''))));
  await tx
    .update(topupReversals)
    .set({ reason: '' })
    .where(
      and(
        ne(topupReversals.reason, ''),
        among(topupReversals.topup_id, tx.select({ id: topups.id }).from(topups).where(his)),
      ),
    );
  await forgetReasons(tx, sql`select 'topup:' || id from topups where user_id = ${userId}`);
}

/** Removes the orders of whose payment nobody has heard and that are too old to be paid, by slices; ends early when the signal aborts. */
export async function removeUnpaid(db: Database, signal: AbortSignal): Promise<void> {
  const before = nowSec() - limits.topupUnpaidSec;
  let removed: number = limits.topupsRemoved;
  // What is pending has its mark still to come.
  while (removed >= limits.topupsRemoved && !signal.aborted) {
    const rows = await db.query(
      `delete from topups where id in (
         select id from topups where status in ('expired', 'failed', 'voided') and paid_at = 0
           and created_at < $1::bigint
           and not exists (select from topup_reversals where topup_id = topups.id)
         order by id limit $2::bigint for update skip locked)
       returning id`,
      [before, limits.topupsRemoved],
    );
    removed = rows.length;
  }
}
