/**
 * By what somebody came in who makes what lets him in again, or acts on others: it must still let him in, however long
 * what he asked for waited after he was let in.
 */
import { and, eq, gte, isNull } from 'drizzle-orm';
import type { Actor, WayIn } from '../core/actor.ts';
import { fail } from '../core/errors.ts';
import { USER_STATUS } from '../core/roles.ts';
import type { Tx } from './client.ts';
import { holdUser } from './hold-user.ts';
import { accessTokens, sessions, users } from './schema/index.ts';

/**
 * Holds it until the transaction is over: his session, or the very access token that he brought. What he makes with it
 * does then not outlive its end unseen. Throws SESSION_EXPIRED where it has ended, as by a recovery that this waited for.
 */
export async function requireWayIn(tx: Tx, wayIn: WayIn): Promise<void> {
  await holdUser(tx, wayIn.id);
  if (!(await lockWayIn(tx, wayIn, 'update'))) throw fail('SESSION_EXPIRED');
}

/**
 * Whether who acts on others still has the rights with which he was let in, and his way in stands. What changes his rights
 * or shuts him out ends his ways in, so that whoever does it waits for this transaction, or this finds it done. His row is
 * only read: it may come before those that are locked already. Of work that outlives his way in (it is null) nothing
 * is held: a part that was begun may still be done right behind the loss of his rights.
 */
export async function holdActor(tx: Tx, { id, role, wayIn }: Actor): Promise<boolean> {
  // Others do more in the same session meanwhile: it is shared, or two who hold more besides could wait for one another.
  if (wayIn && !(await lockWayIn(tx, wayIn, 'key share'))) return false;
  const him = and(eq(users.id, id), gte(users.role, role), eq(users.status, USER_STATUS.active));
  const [found] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(him, isNull(users.deleted_at)));
  return found !== undefined;
}

async function lockWayIn(
  tx: Tx,
  { id, sessionId, accessToken }: WayIn,
  strength: 'update' | 'key share',
): Promise<boolean> {
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
  return (await held.for(strength)).length > 0;
}
