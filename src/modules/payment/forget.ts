/** What is forgotten of orders: those that nobody paid, and what administrators wrote of an erased user. What was paid stays. */
import { eq, inArray } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { topupReversals, topups } from '../../db/schema/index.ts';
import { forgetReasons } from '../audit-log/service.ts';

/** To be called before the user's row is locked, for whoever credits an order locks the order first. */
export async function forgetInOrders(tx: Tx, userId: number): Promise<void> {
  const orders = await tx
    .update(topups)
    .set({ reason: '' })
    .where(eq(topups.user_id, userId))
    .returning({ id: topups.id });
  const ids = orders.map(({ id }) => id);
  await tx.update(topupReversals).set({ reason: '' }).where(inArray(topupReversals.topup_id, ids));
  await forgetReasons(
    tx,
    ids.map((id) => `topup:${id}`),
  );
}

/** Removes the orders that were never paid and are too old to be, by slices; ends early when the signal aborts. */
export async function removeUnpaid(db: Database, signal: AbortSignal): Promise<void> {
  const before = nowSec() - limits.topupUnpaidSec;
  let removed: number = limits.topupsRemoved;
  // What is pending has its mark still to come.
  while (removed >= limits.topupsRemoved && !signal.aborted) {
    const rows = await db.query(
      `delete from topups where id in (
         select id from topups where status in ('expired', 'failed') and created_at < $1::bigint
         order by id limit $2::bigint for update skip locked)
       returning id`,
      [before, limits.topupsRemoved],
    );
    removed = rows.length;
  }
}
