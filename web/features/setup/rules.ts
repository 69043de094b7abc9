import type { TFunction } from 'i18next';
import type { FieldErrors } from '@/lib/use-form.ts';

export interface SetupValues {
  username: string;
  password: string;
  confirm: string;
}

const USERNAME_MAX = 12;
const PASSWORD_MIN = 8;
const PASSWORD_MAX = 20;

/** The set-up's own rules, in the specification's words; the server has the last word. */
export function setupErrors(
  { username, password, confirm }: SetupValues,
  t: TFunction,
): FieldErrors<SetupValues> {
  const nameLength = [...username.trim()].length;
  const passwordLength = [...password].length;
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
  };
}
