/** What a signed-in user reads and changes of his own account. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Owner } from '../../../core/actor.ts';
import { requireUncommonPassword } from '../../../core/common-passwords.ts';
import { fail } from '../../../core/errors.ts';
import { requireWayIn } from '../../../db/hold-way-in.ts';
import { users } from '../../../db/schema/index.ts';
import { turnOfUser } from '../../../platform/passwords.ts';
import type { Deps } from '../../deps.ts';
import { fuelPackHistory } from '../../fuel-pack/service.ts';
import { notifySetting } from '../../notification/service.ts';
import {
  boundAccounts,
  boundParties,
  readDisplayName,
  readUsername,
  requireOwnPassword,
  takenBy,
  userView,
} from '../../user/service.ts';
import type { AuthDeps } from '../deps.ts';
import { hasDefaultPassword } from '../password/default-password.ts';
import { isWithPasskey } from '../second-factor/asked.ts';
import { readAccount, samePassword } from './account.ts';
import { requireProvedOwner, requireReauthentication } from './re-authentication.ts';

const LANGUAGES = ['zh', 'en'];

/** The personal view of document 3. */
export async function readSelf(deps: Pick<Deps, 'db' | 'options'>, userId: number) {
  const row = await readAccount(deps, userId);
  return {
    ...userView(row, (await boundAccounts(deps.db.orm, [userId])).get(userId)),
    // A text, as clients of such gateways parse it.
    setting: JSON.stringify(notifySetting(row.setting, deps.options)),
    activity_quota: row.activity_quota,
    activity_history_quota: row.activity_history_quota,
    history_fuel_pack_quota: await fuelPackHistory(deps, userId),
    language: row.language,
    ...(await boundParties(deps.db.orm, userId)),
    /** Without one he proves himself by signing in again. */
    has_password: row.password_hash !== null,
    /** It is the one that everybody knows. */
    default_password: await hasDefaultPassword(deps.db, row),
  };
}

export interface SelfUpdate {
  username?: string | null;
  displayName?: string | null;
  language?: string | null;
  password?: string | null;
  originalPassword?: string | null;
}

/**
 * Changes one's own account. A new password ends every way in that he had, pauses his accounts of third parties, and of
 * his passkeys leaves the second factor; answers the random id of a new session for this browser then, else null. Throws
 * PASSWORD_RULE, PASSWORD_WRONG, REAUTH_REQUIRED, SESSION_EXPIRED and the fields' refusals.
 */
export async function updateSelf(
  deps: AuthDeps,
  self: Owner & { userAgent: string },
  given: SelfUpdate,
): Promise<string | null> {
  const row = await readAccount(deps, self.id);
  const changed: Partial<typeof users.$inferInsert> = {};
  if (given.username && given.username !== row.username) changed.username = readUsername(given.username);
  if (given.displayName != null && given.displayName !== row.display_name) {
    changed.display_name = readDisplayName(given.displayName);
  }
  if (given.language && LANGUAGES.includes(given.language)) changed.language = given.language;
  if (given.password) {
    requireOwnPassword(given.password);
    requireUncommonPassword(given.password);
    await requireReauthentication(deps, self, row, given.originalPassword);
    changed.password_hash = await deps.passwords.hash(given.password, turnOfUser(self.id));
  }
  if (Object.keys(changed).length === 0) return null;
  // The proof was of the password that was read; of two changes at once the second has proved nothing.
  const asProved = changed.password_hash ? samePassword(row) : undefined;
  return deps.changes.commit(async (tx, touch) => {
    const updated = await tx
      .update(users)
      .set(changed)
      .where(and(eq(users.id, self.id), isNull(users.deleted_at), asProved))
      .returning({ id: users.id })
      .catch((error: unknown) => {
        throw takenBy(error);
      });
    if (updated.length === 0) throw fail('REAUTH_REQUIRED');
    // A recovery that this waited for has ended the session: what it changes would outlive it.
    await requireWayIn(tx, self);
    touch('users', self.id);
    if (!changed.password_hash) return null;
    const withPasskey = await isWithPasskey(tx, self.sessionId);
    await deps.sessions.endAccess(tx, touch, self.id);
    return self.sessionId === null ? null : deps.sessions.begin(self.id, { ...self, withPasskey }, tx);
  });
}

/**
 * Makes the owner's management access token anew and answers it, this once. A session must be proved; who calls with the
 * present token has all that it opens. Throws REAUTH_REQUIRED, SESSION_EXPIRED.
 */
export async function issueAccessToken(deps: AuthDeps, owner: Owner): Promise<string> {
  if (owner.sessionId !== null) await requireProvedOwner(deps, owner);
  return deps.changes.commit(async (tx, touch) => {
    await requireWayIn(tx, owner);
    return deps.sessions.replaceAccessToken(tx, touch, owner.id);
  });
}
