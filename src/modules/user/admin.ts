/** What administrators do to accounts. Every change is recorded; a change of rights or password ends the user's sessions. */

import { eq } from 'drizzle-orm';
import { adjustQuota, MOVEMENT, type Moved, setQuota } from '../../billing/ledger.ts';
import { lengthOf, REMARKS_MAX } from '../../core/account-rules.ts';
import type { Actor } from '../../core/actor.ts';
import { type Changes, changesBetween, SECRET_CHANGED } from '../../core/admin-actions.ts';
import { badParam, fail } from '../../core/errors.ts';
import { unitsText } from '../../core/money.ts';
import { canActOn, ROLE, USER_STATUS } from '../../core/roles.ts';
import { asIs } from '../../core/text.ts';
import type { Executor, Tx } from '../../db/client.ts';
import { users } from '../../db/schema/index.ts';
import { turnOfUser } from '../../platform/passwords.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { groupExists } from '../group/service.ts';
import type { SessionService } from '../session/service.ts';
import { type ManageAction, QUOTA_REASON_MAX } from './facts.ts';
import {
  adminUserView,
  boundAccounts,
  disableTokens,
  eraseAccount,
  insertUser,
  readDisplayName,
  readUsername,
  requirePasswordLength,
  takenBy,
  type UserRow,
} from './service.ts';

type UserDeps = Pick<Deps, 'db' | 'changes' | 'options' | 'passwords' | 'secrets'> & {
  sessions: SessionService;
};

async function readUser(executor: Executor, id: number): Promise<UserRow> {
  const [row] = await executor.select().from(users).where(eq(users.id, id));
  if (!row) throw fail('NOT_FOUND');
  return row;
}

/** The user, locked, if the actor may act on him and he is not cancelled. Throws NOT_FOUND, USER_LEVEL. */
async function lockTarget(tx: Tx, actor: Actor, id: number): Promise<UserRow> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  if (!canActOn(actor, row)) throw fail('USER_LEVEL');
  if (row.deleted_at !== null) throw fail('NOT_FOUND');
  return row;
}

/** Throws NOT_FOUND, USER_LEVEL. Cancelled users can be read. */
export async function getUser({ db }: Pick<Deps, 'db'>, actor: Actor, id: number) {
  const row = await readUser(db.orm, id);
  if (!canActOn(actor, row) && row.id !== actor.id) throw fail('USER_LEVEL');
  return adminUserView(row, (await boundAccounts(db.orm, [id])).get(id));
}

const concerning = (row: Pick<UserRow, 'id' | 'username' | 'group_name'>, zh: string, en: string) => ({
  userId: row.id,
  username: row.username,
  group: row.group_name,
  text: { zh, en },
});

export interface UserToCreate {
  username: string;
  password: string;
  displayName: string;
  /** Only checked: every account is made an ordinary user. */
  role?: number;
}

/** Makes an ordinary user with the gift of QuotaForNewUser and answers his id. */
export async function createUser(deps: UserDeps, actor: Actor, given: UserToCreate): Promise<number> {
  if (given.username.trim() === '' || given.password === '') throw fail('USER_FIELDS');
  const username = readUsername(given.username);
  requirePasswordLength(given.password);
  const displayName = readDisplayName(given.displayName) || username;
  if (given.role !== undefined && given.role >= actor.role) throw fail('USER_LEVEL');
  const passwordHash = await deps.passwords.hash(given.password, turnOfUser(actor.id));
  const quota = deps.options.get('QuotaForNewUser');
  const ref = crypto.randomUUID();
  return deps.changes.commit(async (tx) => {
    const id = await insertUser(tx, { username, displayName, passwordHash, role: ROLE.user, quota, ref });
    await recordAction(tx, {
      actor,
      action: 'user.create',
      target: `user:${id}`,
      changes: changesBetween({}, { username, display_name: displayName, role: ROLE.user, quota }),
      facts: { ref },
      concerns: concerning(
        { id, username, group_name: 'default' },
        `管理员创建了账号，赠送额度 ${unitsText(quota).zh}`,
        `An administrator created the account with a quota of ${unitsText(quota).en}`,
      ),
    });
    return id;
  });
}

export interface UserUpdate {
  id: number;
  username?: string | null;
  displayName?: string | null;
  password?: string | null;
  group?: string | null;
  remarks?: string | null;
  /** What the user shall own, calls under way included. */
  quota?: number | null;
  quotaBefore?: number | null;
  /** Quota units to add, or to take away: what calls spend meanwhile is kept. Not together with `quota`. */
  addQuota?: number | null;
  /** Why, for the log and the ledger. */
  reason?: string | null;
}

/** The plain columns that an update changes; nothing for a field that is absent or already so. Throws the field's own refusal. */
function changedColumns({ options }: Pick<Deps, 'options'>, row: UserRow, given: UserUpdate) {
  const changed: Partial<Pick<UserRow, 'username' | 'display_name' | 'group_name' | 'remarks'>> = {};
  const { username, displayName, group, remarks } = given;
  if (username && username !== row.username) changed.username = readUsername(username);
  if (displayName != null && displayName !== row.display_name) {
    changed.display_name = readDisplayName(displayName);
  }
  if (group && group !== row.group_name) {
    if (!groupExists(options, group)) throw fail('USER_GROUP', { params: { group: asIs(group) } });
    changed.group_name = group;
  }
  if (remarks != null && remarks !== row.remarks) {
    if (lengthOf(remarks) > REMARKS_MAX) throw fail('REMARKS_LENGTH');
    changed.remarks = remarks;
  }
  return changed;
}

/** What a row has in the columns that change. */
const valuesOf = (row: UserRow, changed: Partial<UserRow>) =>
  Object.fromEntries(Object.keys(changed).map((name) => [name, row[name as keyof UserRow] as string]));

/**
 * Changes an account. The quota is set by difference under the row's lock. Throws NOT_FOUND, USER_LEVEL, QUOTA_CHANGED,
 * QUOTA_HELD, QUOTA_RANGE and the fields' own refusals.
 */
export async function updateUser(deps: UserDeps, actor: Actor, given: UserUpdate): Promise<void> {
  const { id, password } = given;
  const reason = given.reason?.trim() ?? '';
  if (lengthOf(reason) > QUOTA_REASON_MAX) throw fail('REASON_LENGTH');
  if (given.quota != null && given.addQuota) throw badParam('add_quota');
  if (password) requirePasswordLength(password);
  // Asked before the costly hash and before a transaction, then again under the lock.
  const seen = await readUser(deps.db.orm, id);
  if (!canActOn(actor, seen)) throw fail('USER_LEVEL');
  // One's own password is changed by the call that asks for the present one.
  if (password && id === actor.id) throw fail('REAUTH_REQUIRED');
  const passwordHash = password ? await deps.passwords.hash(password, turnOfUser(actor.id)) : undefined;
  await deps.changes.commit(async (tx, touch) => {
    const row = await lockTarget(tx, actor, id);
    const changed = changedColumns(deps, row, given);
    const changes: Changes = changesBetween(valuesOf(row, changed), changed);
    if (Object.keys(changed).length > 0 || passwordHash) {
      await tx
        .update(users)
        .set({ ...changed, ...(passwordHash && { password_hash: passwordHash }) })
        .where(eq(users.id, id))
        .catch((error: unknown) => {
          throw takenBy(error);
        });
      touch('users', id);
    }
    if (passwordHash) {
      changes.password = SECRET_CHANGED;
      await deps.sessions.endAccess(tx, touch, id);
    }
    const moved = await moveQuota(tx, row, given);
    if (moved) changes.quota = { before: moved.before, after: moved.after };
    if (Object.keys(changes).length === 0) return;
    await recordAction(tx, {
      actor,
      action: moved ? 'user.quota' : 'user.update',
      target: `user:${id}`,
      changes,
      facts: moved ? { ref: moved.ref, ...(reason && { reason }) } : {},
      concerns: moved
        ? concerning(
            row,
            `管理员将用户额度从 ${unitsText(moved.before).zh}修改为 ${unitsText(moved.after).zh}${reason && `：${reason}`}`,
            `An administrator changed the quota from ${unitsText(moved.before).en} to ${unitsText(moved.after).en}${reason && `: ${reason}`}`,
          )
        : concerning(row, '管理员修改了用户资料', 'An administrator changed the account'),
    });
  });
}

/** Sets or adds quota where the update asks for it; null where nothing moved. */
async function moveQuota(
  tx: Tx,
  row: UserRow,
  { quota, quotaBefore, addQuota, reason }: UserUpdate,
): Promise<{ before: number; after: number; ref: string } | null> {
  const ref = crypto.randomUUID();
  const movement = { userId: row.id, ref, note: reason?.trim() || undefined };
  const owned = row.quota + row.reserved;
  let moved: Moved;
  if (addQuota) {
    moved = await adjustQuota(tx, { ...movement, kind: MOVEMENT.adminEdit, delta: addQuota });
  } else if (quota != null && (quota !== owned || (quotaBefore != null && quotaBefore !== owned))) {
    moved = await setQuota(tx, { ...movement, quota, quotaBefore });
  } else {
    return null;
  }
  return { before: moved.quota - moved.delta, after: moved.quota, ref };
}

const ACTION_TEXTS: Record<ManageAction, [zh: string, en: string]> = {
  promote: ['管理员将账号提升为管理员', 'The account was promoted to administrator'],
  demote: ['管理员将账号降级为普通用户', 'The account was demoted to ordinary user'],
  disable: [
    '管理员禁用了账号；其登录、访问令牌和应用登录已全部失效',
    'The account was disabled; its sessions, its access token and the sign-ins of applications have ended',
  ],
  enable: [
    '管理员启用了账号；禁用时失效的登录和访问令牌不会恢复，请重新登录',
    'The account was enabled. What ended when it was disabled stays ended. Sign in again.',
  ],
  delete: ['管理员注销了账号', 'The account was cancelled'],
};

/** What an action makes of a user, or its refusal. */
function afterAction(actor: Actor, row: UserRow, action: ManageAction): { role: number; status: number } {
  const { role, status } = row;
  const isRoot = role >= ROLE.root;
  switch (action) {
    case 'promote':
      if (actor.role < ROLE.root) throw fail('PROMOTE_DENIED');
      if (role >= ROLE.admin) throw fail('ALREADY_ADMIN');
      return { role: ROLE.admin, status };
    case 'demote':
      if (isRoot) throw fail('ROOT_PROTECTED');
      if (role <= ROLE.user) throw fail('ALREADY_USER');
      return { role: ROLE.user, status };
    case 'enable':
      return { role, status: USER_STATUS.active };
    default:
      if (isRoot) throw fail('ROOT_PROTECTED');
      return { role, status: USER_STATUS.banned };
  }
}

/** Promotes, demotes, disables, enables or cancels. Throws NOT_FOUND, USER_LEVEL and the action's own refusals. */
export async function manageUser(
  deps: UserDeps,
  actor: Actor,
  id: number,
  action: ManageAction,
): Promise<{ status: number; role: number }> {
  return deps.changes.commit(async (tx, touch) => {
    // Before the user's row is locked; a refusal below undoes it.
    if (action === 'delete') await disableTokens(tx, touch, id);
    const row = await lockTarget(tx, actor, id);
    const after = afterAction(actor, row, action);
    if (action === 'delete') {
      await eraseAccount(deps, tx, touch, id);
    } else {
      await tx.update(users).set(after).where(eq(users.id, id));
      touch('users', id);
      // Whoever is let in again proves anew that it is he: what somebody opened for himself stays shut.
      if (after.status !== row.status) await deps.sessions.endSignIns(tx, touch, id);
      else if (after.role !== row.role) await deps.sessions.endRights(tx, touch, id);
    }
    await recordAction(tx, {
      actor,
      action: `user.${action}`,
      target: `user:${id}`,
      changes: {
        ...changesBetween({ role: row.role, status: row.status }, after),
        ...(action === 'delete' && { cancelled: { before: false, after: true } }),
      },
      concerns: concerning(row, ...ACTION_TEXTS[action]),
    });
    return { status: after.status, role: after.role };
  });
}
