/** Roles as the calls answer them, and their form: its values, its rules, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import { AI_ROLE_NAME_MAX } from '@modules/ai-role/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { editedRole, type RoleSyntax, sentRole } from './role-text.ts';

export type Role = DataOf<'get', '/api/ai-role/admin'>[number];

export interface RoleValues {
  name: string;
  /** In the syntax of the form. */
  role: string;
}

/** How a role is edited; a new one in TOML. */
export function editedOf(role: Role | null): { syntax: RoleSyntax; values: RoleValues } {
  const { syntax, text } = role ? editedRole(role.role) : { syntax: 'toml' as const, text: '' };
  return { syntax, values: { name: role?.role_name ?? '', role: text } };
}

export function roleErrors(
  { name, role }: RoleValues,
  syntax: RoleSyntax,
  t: TFunction,
): FieldErrors<RoleValues> {
  const length = lengthOf(name.trim());
  const isEmpty = role.trim() === '';
  const isWrong = isEmpty || sentRole({ syntax, text: role }) === null;
  return {
    name: length >= 1 && length <= AI_ROLE_NAME_MAX ? undefined : t('role.nameBad'),
    role: isWrong ? t(isEmpty ? 'role.needed' : 'role.format') : undefined,
  };
}

/** A text that nobody touched goes back as it came. */
export function roleToSend(
  role: Role | null,
  values: RoleValues,
  initial: RoleValues,
  syntax: RoleSyntax,
): string {
  if (role && values.role === initial.role) return role.role;
  return sentRole({ syntax, text: values.role }) ?? '';
}
