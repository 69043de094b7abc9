/** Deleting one's own account. */

import { and, eq, isNull } from 'drizzle-orm';
import type { Owner } from '../../../core/actor.ts';
import { fail } from '../../../core/errors.ts';
import { hasRole } from '../../../core/roles.ts';
import { users } from '../../../db/schema/index.ts';
import { recordAction } from '../../audit-log/service.ts';
import { disableTokens, eraseAccount } from '../../user/service.ts';
import type { AuthDeps } from '../deps.ts';
import { requireReauthentication } from './re-authentication.ts';

/**
 * Cancels the owner's account for good. `username` is his name as he typed it, where a form asks for it so that it does
 * not happen by mistake; whether it is he, his proof alone tells. What calls under way hold is settled as ever. Throws
 * ROOT_PROTECTED, ACCOUNT_NAME_WRONG, REAUTH_REQUIRED.
 */
export async function deleteSelf(deps: AuthDeps, owner: Owner, username?: string | null): Promise<void> {
  const mine = and(eq(users.id, owner.id), isNull(users.deleted_at));
  const [row] = await deps.db.orm.select().from(users).where(mine);
  if (!row) throw fail('SESSION_EXPIRED');
  if (hasRole(row.role, 'root')) throw fail('ROOT_PROTECTED');
  if (username != null && username !== row.username) throw fail('ACCOUNT_NAME_WRONG');
  await requireReauthentication(deps, owner, row);
  await deps.changes.commit(async (tx, touch) => {
    await disableTokens(tx, touch, owner.id);
    const [locked] = await tx.select({ id: users.id }).from(users).where(mine).for('update');
    if (!locked) throw fail('SESSION_EXPIRED');
    // While he still has his way in.
    await recordAction(tx, {
      actor: { id: owner.id, role: row.role, ip: owner.ip, wayIn: owner },
      action: 'user.self_delete',
      target: `user:${owner.id}`,
      changes: { cancelled: { before: false, after: true } },
      concerns: {
        userId: owner.id,
        username: row.username,
        group: row.group_name,
        text: { zh: '用户注销了自己的账号', en: 'The user deleted the account' },
      },
    });
    await eraseAccount(deps, tx, touch, owner.id);
  });
}
