/**
 * Sets a lost root password and forgets a lost authenticator and lost passkeys: for whoever holds the machine, not for any
 * call.
 */
import { eq } from 'drizzle-orm';
import { SECRET_CHANGED } from '../../../core/admin-actions.ts';
import { requireUncommonPassword } from '../../../core/common-passwords.ts';
import { ROLE } from '../../../core/roles.ts';
import { options, passkeys, users } from '../../../db/schema/index.ts';
import type { OptionKey } from '../../../options/registry.ts';
import { recordDone } from '../../audit-log/service.ts';
import type { Deps } from '../../deps.ts';
import type { SessionService } from '../../session/service.ts';
import { requireOwnPassword } from '../../user/service.ts';
import { dropSecondFactor } from '../second-factor/settings.ts';

/** With wrong keys nobody passes it, root neither. */
const HUMAN_CHECK: OptionKey = 'TurnstileCheckEnabled';

/**
 * Sets the password, turns root's second factor and the human check off, removes his passkeys, and ends every way in that
 * he had; answers his user name, or null when there is no root yet. Throws PASSWORD_RULE, PASSWORD_COMMON.
 */
export async function setRootPassword(
  deps: Pick<Deps, 'changes' | 'passwords'> & { sessions: Pick<SessionService, 'endAccess'> },
  password: string,
): Promise<string | null> {
  requireOwnPassword(password);
  requireUncommonPassword(password);
  const passwordHash = await deps.passwords.hash(password);
  return deps.changes.commit(async (tx, touch) => {
    const [root] = await tx
      .update(users)
      .set({ password_hash: passwordHash })
      .where(eq(users.role, ROLE.root))
      .returning({ id: users.id, username: users.username });
    if (!root) return null;
    touch('users', root.id);
    const hadFactor = await dropSecondFactor(tx, root.id);
    await tx.delete(passkeys).where(eq(passkeys.user_id, root.id));
    const [humanCheck] = await tx.delete(options).where(eq(options.key, HUMAN_CHECK)).returning();
    touch('options', HUMAN_CHECK);
    await deps.sessions.endAccess(tx, touch, root.id);
    await recordDone(tx, {
      actor: { id: root.id, ip: '' },
      action: 'root.password',
      target: `user:${root.id}`,
      changes: {
        password: SECRET_CHANGED,
        ...(hadFactor && { two_factor: { before: true, after: false } }),
        ...(humanCheck && { [HUMAN_CHECK]: { before: humanCheck.value, after: 'false' } }),
      },
    });
    return root.username;
  });
}
