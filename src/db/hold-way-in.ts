/** By what somebody came in who makes what lets him in again: it must still let him in. */
import { and, eq } from 'drizzle-orm';
import type { WayIn } from '../core/actor.ts';
import type { Tx } from './client.ts';
import { holdUser } from './hold-user.ts';
import { accessTokens, sessions } from './schema/index.ts';

/**
 * Whether it stands: his session, or the very access token that he brought. It cannot be ended before the transaction is
 * over, so that what he makes with it does not outlive its end unseen.
 */
export async function holdWayIn(tx: Tx, { id, sessionId, accessToken }: WayIn): Promise<boolean> {
  await holdUser(tx, id);
  const held =
    sessionId === null
      ? tx
          .select({ id: accessTokens.user_id })
          .from(accessTokens)
          .where(and(eq(accessTokens.user_id, id), eq(accessTokens.hash, accessToken ?? '')))
      : tx
          .select({ id: sessions.user_id })
          .from(sessions)
          .where(and(eq(sessions.user_id, id), eq(sessions.id, sessionId)));
  return (await held.for('update')).length > 0;
}
