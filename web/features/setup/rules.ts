import { lengthOf, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX } from '@core/account-rules.ts';
import { ApiError } from '@/lib/api-error.ts';
import { errorText } from '@/lib/error-text.ts';
import type { TFunction } from '@/lib/i18n.ts';
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

/** What the first step took is not there any more. */
export const FORM_LOST = new Error('the form is lost');

/** Why nothing was set up: the server's words, or ours for an answer without any, or for none at all. */
export function setupFailure(error: unknown, t: TFunction): string {
  if (error === FORM_LOST) return t('setup.formLost');
  const isAnswered = error instanceof ApiError && error.status > 0;
  return errorText(error, t, t(isAnswered ? 'setup.failed' : 'setup.systemFailed'));
}
