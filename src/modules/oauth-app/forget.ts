/** Ends what is over, and what must not go on. */
import { eq } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { oauthConsents, oauthGrants } from '../../db/schema/index.ts';

/** Ends all that applications may do for a user, within the transaction that takes his other ways in away. */
export async function endGrantsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(oauthGrants).where(eq(oauthGrants.user_id, userId));
}

/** Forgets what he has agreed to. */
export async function forgetConsents(tx: Tx, userId: number): Promise<void> {
  await tx.delete(oauthConsents).where(eq(oauthConsents.user_id, userId));
}

/** Forgets sign-ins of which nothing works any more. */
export async function forgetGrants(db: Pick<Database, 'query'>, signal: AbortSignal): Promise<void> {
  let deleted: number;
  do {
    const rows = await db.query(
      `delete from oauth_grants where id in (
         select id from oauth_grants where expires_at <= $1::bigint limit $2::int)
       returning 1`,
      [nowSec(), limits.outlivedGrants],
    );
    deleted = rows.length;
  } while (deleted === limits.outlivedGrants && !signal.aborted);
}
