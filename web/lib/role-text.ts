import { hasRole } from '@core/roles.ts';
import type { TFunction } from './i18n.ts';

/** The name of a role number, as people call it. */
export const roleText = (role: number, t: TFunction): string =>
  t(hasRole(role, 'root') ? 'role.root' : hasRole(role, 'admin') ? 'role.admin' : 'role.user');
