import { isPhoneNumber } from '@core/account-rules.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';

export interface PhoneValues {
  phone: string;
  code: string;
}

/** The rules of a phone number and its code, in the specification's words; the server has the last word. */
export const phoneErrors = ({ phone, code }: PhoneValues, t: TFunction): FieldErrors<PhoneValues> => ({
  phone: phoneError(phone.trim(), t),
  code: code.trim() === '' ? t('register.codeNeeded') : undefined,
});

function phoneError(phone: string, t: TFunction): string | undefined {
  if (phone === '') return t('phone.numberNeeded');
  return isPhoneNumber(phone) ? undefined : t('phone.numberWrong');
}
