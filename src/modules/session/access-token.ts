/** The access token that a user may have for programs of his own; only its hash is kept. */
import { eq } from 'drizzle-orm';
import { secretText } from '../../core/ids.ts';
import { shareOfUser } from '../../core/share.ts';
import { nowSec } from '../../core/time.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { accessTokens } from '../../db/schema/index.ts';
import { ownCredential } from '../../platform/own-proof.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';

/** When the access token was made, and last used; 0 for never. */
export interface AccessTokenEntry {
  created_at: number;
  used_at: number;
}

export function createAccessTokens({ db, changes, secrets }: Pick<Deps, 'db' | 'changes' | 'secrets'>) {
  /** Makes it anew inside the caller's transaction. */
  const replaceAccessToken = async (tx: Tx, touch: Touch, userId: number): Promise<string> => {
    const token = ownCredential(secrets, 'access-token', shareOfUser(userId), secretText(256));
    const hash = sha256(token);
    await tx
      .insert(accessTokens)
      .values({ user_id: userId, hash, created_at: nowSec() })
      .onConflictDoUpdate({
        target: accessTokens.user_id,
        set: { hash, created_at: nowSec(), used_at: 0 },
      });
    // The former one is nobody's from now on.
    touch('sessions', userId);
    return token;
  };

  return {
    /** Makes the user's access token anew and returns it; only its hash is kept. */
    issueAccessToken: (userId: number): Promise<string> =>
      changes.commit((tx, touch) => replaceAccessToken(tx, touch, userId)),

    replaceAccessToken,

    /** Null when he has none. */
    async accessToken(userId: number): Promise<AccessTokenEntry | null> {
      const [row] = await db.orm
        .select({ created_at: accessTokens.created_at, used_at: accessTokens.used_at })
        .from(accessTokens)
        .where(eq(accessTokens.user_id, userId));
      return row ?? null;
    },

    async revokeAccessToken(userId: number): Promise<void> {
      await changes.commit(async (tx, touch) => {
        await tx.delete(accessTokens).where(eq(accessTokens.user_id, userId));
        touch('sessions', userId);
      });
    },
  };
}
