/** The forms of a user: their values, their rules in the specification's words, and the bodies that they send. */
import {
  DISPLAY_NAME_MAX,
  hasPasswordLength,
  isSoundPassword,
  lengthOf,
  REMARKS_MAX,
  USERNAME_MAX,
} from '@core/account-rules.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { isWhole } from '@/lib/whole.ts';
import type { User } from './user.ts';

export interface NewUserValues {
  username: string;
  displayName: string;
  password: string;
}

export interface UserValues extends NewUserValues {
  group: string;
  /** Quota units, as typed. */
  quota: string;
  remarks: string;
}

export interface SelfValues extends NewUserValues {
  /** Asked for with a new password. */
  originalPassword: string;
}

const usernameError = (username: string, t: TFunction) =>
  lengthOf(username.trim()) > USERNAME_MAX ? t('register.usernameLong') : undefined;
const displayNameError = (name: string, t: TFunction) =>
  lengthOf(name.trim()) > DISPLAY_NAME_MAX ? t('user.displayNameLong') : undefined;
const passwordError = (password: string, t: TFunction) =>
  password !== '' && !hasPasswordLength(password) ? t('register.passwordLong') : undefined;

export const newUserErrors = (
  { username, displayName, password }: NewUserValues,
  t: TFunction,
): FieldErrors<NewUserValues> => ({
  username: username.trim() === '' ? t('user.fieldsNeeded') : usernameError(username, t),
  displayName: displayNameError(displayName, t),
  password: password === '' ? t('user.fieldsNeeded') : passwordError(password, t),
});

export const valuesOf = (user: User): UserValues => ({
  username: user.username,
  displayName: user.display_name,
  password: '',
  group: user.group,
  quota: String(user.quota),
  remarks: user.remarks,
});

export const userErrors = (values: UserValues, t: TFunction): FieldErrors<UserValues> => ({
  username: values.username.trim() === '' ? t('user.usernameNeeded') : usernameError(values.username, t),
  displayName: displayNameError(values.displayName, t),
  password: passwordError(values.password, t),
  quota: isWhole(values.quota) ? undefined : t('user.quotaBad'),
  remarks: lengthOf(values.remarks) > REMARKS_MAX ? t('user.remarksLong') : undefined,
});

/** Only what was changed: a quota that calls used meanwhile must not be set back by a form that shows it. */
export function bodyOf(values: UserValues, before: UserValues) {
  return {
    ...(values.username !== before.username && { username: values.username.trim() }),
    ...(values.displayName !== before.displayName && { display_name: values.displayName.trim() }),
    ...(values.password !== '' && { password: values.password }),
    ...(values.group !== before.group && { group: values.group }),
    ...(values.remarks !== before.remarks && { remarks: values.remarks.trim() }),
    ...(values.quota !== before.quota && {
      quota: Number(values.quota),
      quota_before: Number(before.quota),
    }),
  };
}

export const selfErrors = (
  values: SelfValues,
  hasPassword: boolean,
  t: TFunction,
): FieldErrors<SelfValues> => ({
  username: values.username.trim() === '' ? t('user.usernameNeeded') : usernameError(values.username, t),
  displayName: displayNameError(values.displayName, t),
  password: ownPasswordError(values.password, t),
  originalPassword:
    hasPassword && values.password !== '' && values.originalPassword === ''
      ? t('user.originalNeeded')
      : undefined,
});

const ownPasswordError = (password: string, t: TFunction): string | undefined =>
  password === '' || isSoundPassword(password) ? undefined : t('user.passwordRule');

export function selfBodyOf(values: SelfValues, before: SelfValues) {
  return {
    ...(values.username !== before.username && { username: values.username.trim() }),
    ...(values.displayName !== before.displayName && { display_name: values.displayName.trim() }),
    ...(values.password !== '' && {
      password: values.password,
      original_password: values.originalPassword,
    }),
  };
}

/** What is typed as quota to add: a whole number of either sign, not 0; null for anything else. */
export function readAddition(text: string): number | null {
  const typed = text.trim().replace('−', '-');
  if (!/^[+-]?\d{1,16}$/.test(typed)) return null;
  const units = Number(typed);
  return units !== 0 && Number.isSafeInteger(units) ? units : null;
}
