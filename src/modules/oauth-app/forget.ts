/** Ends what is over, and what must not go on. */
import { eq } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import type { Touch } from '../../db/changes.ts';
import type { Database, Tx } from '../../db/client.ts';
import { embedSessions, oauthConsents, oauthGrants } from '../../db/schema/index.ts';

/**
 * Ends all that applications may do for a user, within the transaction that takes his other ways in away. What he has
 * agreed to goes first: whoever begins a sign-in holds it.
 */
export async function endGrantsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(oauthConsents).where(eq(oauthConsents.user_id, userId));
  await endAppSignInsOf(tx, userId);
}

/** Ends what applications hold in his name. They need not ask him anew when he signs in by them again. */
export async function endAppSignInsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(oauthGrants).where(eq(oauthGrants.user_id, userId));
}

/** Ends his consoles inside applications, and nothing else. */
export async function endEmbedsOf(tx: Tx, userId: number): Promise<void> {
  const his = tx.select({ id: oauthGrants.id }).from(oauthGrants).where(eq(oauthGrants.user_id, userId));
  await tx.delete(embedSessions).where(among(embedSessions.grant_id, his));
}

/** Ends one of them, by the hash that is its id. */
export async function endEmbed(tx: Tx, touch: Touch, userId: number, id: string): Promise<void> {
  await tx.delete(embedSessions).where(eq(embedSessions.id, id));
  touch('sessions', userId);
}

/** Forgets sign-ins of which nothing works any more. */
export async function forgetGrants(db: Pick<Database, 'query'>, signal: AbortSignal): Promise<void> {
  for (const table of ['embed_sessions', 'oauth_grants']) {
    let deleted: number;
    do {
      const rows = await db.query(
        `delete from ${table} where id in (
           select id from ${table} where expires_at <= $1::bigint limit $2::int)
         returning 1`,
        [nowSec(), limits.outlivedGrants],
      );
      deleted = rows.length;
    } while (deleted === limits.outlivedGrants && !signal.aborted);
  }
}
