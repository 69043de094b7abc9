import { lengthOf, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX } from '@core/account-rules.ts';
import type { TFunction } from 'i18next';
import type { FieldErrors } from '@/lib/use-form.ts';

export interface SetupValues {
  username: string;
  password: string;
  confirm: string;
  /** Of the link that the start prints. */
  token: string;
}

/** The set-up's own rules, in the specification's words; the server has the last word. */
export function setupErrors(
  { username, password, confirm, token }: SetupValues,
  t: TFunction,
): FieldErrors<SetupValues> {
  const nameLength = lengthOf(username.trim());
  const passwordLength = lengthOf(password);
  return {
    username:
      nameLength === 0
        ? t('setup.usernameNeeded')
        : nameLength > USERNAME_MAX
          ? t('setup.usernameLong')
          : undefined,
    password:
      passwordLength < PASSWORD_MIN
        ? t('setup.passwordShort')
        : passwordLength > PASSWORD_MAX
          ? t('setup.passwordLong')
          : undefined,
    confirm: confirm === password ? undefined : t('setup.mismatch'),
    token: token.trim() === '' ? t('setup.tokenNeeded') : undefined,
  };
}
