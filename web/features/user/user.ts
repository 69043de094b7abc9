/** A user as administrators see him. */

import { canActOn, hasRole, ROLE, USER_STATUS } from '@core/roles.ts';
import type { ManageAction } from '@modules/user/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type User = DataOf<'get', '/api/user/:id'>;

export const isErased = ({ erased_at }: User): boolean => erased_at !== null;
export const isCancelled = ({ DeletedAt }: User): boolean => DeletedAt !== null;
export const isBanned = ({ status }: User): boolean => status === USER_STATUS.banned;

interface Viewer {
  id: number;
  role: number;
}

/** Why the viewer may not erase the user. */
export function obstacleToErase(viewer: Viewer, user: User): TextKey | undefined {
  if (!hasRole(viewer.role, 'root')) return 'user.onlyRootErases';
  return hasRole(user.role, 'root') ? 'user.rootProtected' : undefined;
}

/** Why the viewer may not do this to the user; undefined where he may. The server decides. */
export function obstacleTo(action: ManageAction | 'edit', viewer: Viewer, user: User): TextKey | undefined {
  const isRoot = hasRole(user.role, 'root');
  switch (action) {
    case 'promote':
      if (!hasRole(viewer.role, 'root')) return 'user.onlyRootPromotes';
      return user.role >= ROLE.admin ? 'user.alreadyAdmin' : undefined;
    case 'demote':
      if (isRoot) return 'user.rootProtected';
      if (user.role <= ROLE.user) return 'user.alreadyUser';
      break;
    case 'disable':
    case 'delete':
      if (isRoot) return 'user.rootProtected';
      break;
    default:
      break;
  }
  return canActOn(viewer, user) ? undefined : 'user.sameLevel';
}

/** The third-party accounts that are bound, as they are shown. */
export const boundOf = (user: User): { name: TextKey; value: string }[] =>
  [
    { name: 'user.bound.github' as const, value: user.github_id },
    { name: 'user.bound.google' as const, value: user.google_id },
    { name: 'user.bound.oidc' as const, value: user.oidc_id },
    { name: 'user.bound.linuxdo' as const, value: user.linux_do_id },
    { name: 'user.bound.wechat' as const, value: user.wechat_id },
    { name: 'user.bound.telegram' as const, value: user.telegram_id },
    { name: 'user.bound.email' as const, value: user.email },
  ].filter(({ value }) => value !== '');
