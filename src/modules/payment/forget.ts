/** What is forgotten of an erased user's orders: what administrators wrote of him. What was paid stays. */
import { eq, inArray } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
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
