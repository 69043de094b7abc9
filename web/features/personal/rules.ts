/** What can be seen to be wrong with a form of the personal settings before it is sent; in the specification's words. */
import { isSoundPassword } from '@core/account-rules.ts';
import { isThreshold, isWebhookUrl, type NotifyType } from '@core/notify-setting.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '../../lib/use-form.ts';

export interface PasswordValues {
  password: string;
  again: string;
}

export const passwordErrors = (
  { password, again }: PasswordValues,
  t: TFunction,
): FieldErrors<PasswordValues> => ({
  password: passwordError(password, t),
  again: againError({ password, again }, t),
});

function passwordError(password: string, t: TFunction): string | undefined {
  if (password === '') return t('personal.passwordNeeded');
  return isSoundPassword(password) ? undefined : t('user.passwordRule');
}

function againError({ password, again }: PasswordValues, t: TFunction): string | undefined {
  if (again === '') return t('personal.againNeeded');
  return again === password ? undefined : t('personal.againDiffers');
}

export interface EmailValues {
  email: string;
  code: string;
}

/** Something before and after an @, and a point in what stands after; the server judges the rest. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());

export const emailErrors = ({ email, code }: EmailValues, t: TFunction): FieldErrors<EmailValues> => ({
  email: isEmail(email) ? undefined : t(email.trim() === '' ? 'personal.emailNeeded' : 'personal.emailBad'),
  code: code.trim() === '' ? t('personal.codeNeeded') : undefined,
});

/** The name must be typed as it stands, so that no account is deleted by mistake. */
export const deleteErrors = (
  { username }: { username: string },
  own: string,
  t: TFunction,
): FieldErrors<{ username: string }> => ({
  username:
    username === own
      ? undefined
      : t(username === '' ? 'personal.deleteNameNeeded' : 'personal.deleteNameWrong'),
});

export interface NotifyValues {
  type: NotifyType;
  /** Quota units, as typed. */
  threshold: string;
  url: string;
  secret: string;
  /** Empty: the account's own mailbox. */
  email: string;
  code: string;
}

/** `proved`: mailboxes that need no code. */
export function notifyErrors(
  { type, threshold, url, email, code }: NotifyValues,
  proved: readonly string[],
  t: TFunction,
): FieldErrors<NotifyValues> {
  const errors: FieldErrors<NotifyValues> = {};
  const units = threshold.trim();
  if (!/^\d+$/.test(units) || !isThreshold(Number(units))) errors.threshold = t('personal.thresholdBad');
  if (type === 'webhook') {
    if (url.trim() === '') errors.url = t('personal.urlNeeded');
    else if (!isWebhookUrl(url.trim())) errors.url = t('personal.urlBad');
    return errors;
  }
  if (needsCode(email, proved)) {
    if (!isEmail(email)) errors.email = t('personal.emailBad');
    if (code.trim() === '') errors.code = t('personal.codeNeeded');
  }
  return errors;
}

export const needsCode = (email: string, proved: readonly string[]): boolean =>
  email.trim() !== '' && !proved.includes(email.trim().toLowerCase());
