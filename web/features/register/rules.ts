import { lengthOf, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX } from '@core/account-rules.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';

export interface RegisterValues {
  username: string;
  password: string;
  password2: string;
  email: string;
  code: string;
}

/** The rules of registration, in the specification's words; the server has the last word. */
export function registerErrors(
  { username, password, password2, email, code }: RegisterValues,
  { isEmailNeeded, t }: { isEmailNeeded: boolean; t: TFunction },
): FieldErrors<RegisterValues> {
  const hasEmail = email.trim() !== '';
  return {
    username: usernameError(username, t),
    password: passwordError(password, t),
    password2: password2 === password ? undefined : t('register.mismatch'),
    email: isEmailNeeded && !hasEmail ? t('register.emailNeeded') : undefined,
    code: (isEmailNeeded || hasEmail) && code.trim() === '' ? t('register.codeNeeded') : undefined,
  };
}

function usernameError(username: string, t: TFunction): string | undefined {
  const length = lengthOf(username.trim());
  if (length === 0) return t('login.fieldsNeeded');
  return length > USERNAME_MAX ? t('register.usernameLong') : undefined;
}

function passwordError(password: string, t: TFunction): string | undefined {
  const length = lengthOf(password);
  if (length === 0) return t('login.fieldsNeeded');
  if (length < PASSWORD_MIN) return t('register.passwordShort');
  return length > PASSWORD_MAX ? t('register.passwordLong') : undefined;
}
