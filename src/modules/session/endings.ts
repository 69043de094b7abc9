/** How ways in end for a user, inside the transaction of whatever ends them: each ends more than the one before. */
import { and, eq, ne } from 'drizzle-orm';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { accessTokens, identities, passkeys, sessions } from '../../db/schema/index.ts';
import { endAppSignInsOf, endEmbedsOf, endGrantsOf } from '../oauth-app/service.ts';
import { lockTokensOfApp, removeTokensOfApp } from '../token/service.ts';

/** Ends a user's sessions inside the caller's transaction, all but `except` (the one that asked). */
export async function endAll(tx: Tx, touch: Touch, userId: number, except?: string | null): Promise<void> {
  const mine = eq(sessions.user_id, userId);
  await tx.delete(sessions).where(except ? and(mine, ne(sessions.id, except)) : mine);
  await endEmbedsOf(tx, userId);
  touch('sessions', userId);
}

/** The same with his access token: whose rights change, gets in with those that he has now. */
export async function endRights(tx: Tx, touch: Touch, userId: number): Promise<void> {
  await endAll(tx, touch, userId);
  await tx.delete(accessTokens).where(eq(accessTokens.user_id, userId));
}

/** The same with what applications hold in his name. What he has to sign in anew with stays his. */
export async function endSignIns(tx: Tx, touch: Touch, userId: number): Promise<void> {
  await endRights(tx, touch, userId);
  await endAppSignInsOf(tx, userId);
}

/**
 * Ends every way in that somebody may have opened for himself: sessions, the access token, applications with the
 * tokens that they made; what was agreed to for applications is forgotten. Accounts of third parties are paused until
 * he keeps them. Passkeys let nobody in by themselves any more: what is asked for after the password stays that, or
 * the password would be all that is asked.
 * Called under the lock of the user's row, which whoever adds a passkey waits for.
 */
export async function endAccess(tx: Tx, touch: Touch, userId: number): Promise<void> {
  // The sessions first: one that is held makes this wait, and then the token that it made is there to be seen.
  await endRights(tx, touch, userId);
  // Tokens before consents, as whoever withdraws one locks them; what is just being made by a consent is seen after it.
  await lockTokensOfApp(tx, null, userId);
  await endGrantsOf(tx, userId);
  await removeTokensOfApp(tx, touch, null, userId);
  await tx.update(identities).set({ paused: true }).where(eq(identities.user_id, userId));
  await tx.update(passkeys).set({ second_only: true }).where(eq(passkeys.user_id, userId));
}
