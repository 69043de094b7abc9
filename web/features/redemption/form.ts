/** The form of redemption codes: its values, its rules in the specification's words, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import { NEVER } from '@core/time.ts';
import { REDEMPTION_COUNT_MAX, REDEMPTION_NAME_MAX, REDEMPTION_QUOTA } from '@modules/redemption/facts.ts';
import { expiryError, expiryText, readExpiry } from '@/lib/expiry.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { isWhole } from '@/lib/whole.ts';
import type { Redemption } from './redemption.ts';

export interface RedemptionValues {
  name: string;
  /** Quota units, as typed. */
  quota: string;
  /** `yyyy-MM-dd HH:mm:ss` in the viewer's zone, or -1. */
  expiry: string;
  /** How many to make; as typed. */
  count: string;
}

export const COUNT_PICKS = [1, 10, 20, 50, 100];

export const emptyRedemption: RedemptionValues = {
  name: '',
  quota: String(REDEMPTION_QUOTA),
  expiry: String(NEVER),
  count: '1',
};

export const valuesOf = (code: Redemption, timeZone: string): RedemptionValues => ({
  name: code.name,
  quota: String(code.quota),
  expiry: expiryText(code.expired_time, timeZone),
  count: '1',
});

const isFromOne = (text: string, max: number): boolean =>
  isWhole(text) && Number(text) >= 1 && Number(text) <= max;

interface Surroundings {
  timeZone: string;
  now: number;
  initial: RedemptionValues;
}

export function redemptionErrors(
  { name, quota, expiry, count }: RedemptionValues,
  { timeZone, now, initial }: Surroundings,
  t: TFunction,
): FieldErrors<RedemptionValues> {
  const length = lengthOf(name.trim());
  return {
    name: length >= 1 && length <= REDEMPTION_NAME_MAX ? undefined : t('redemption.nameBad'),
    quota: isFromOne(quota, Number.MAX_SAFE_INTEGER) ? undefined : t('redemption.quotaBad'),
    expiry: expiryError(expiry, { timeZone, now, initial: initial.expiry }, t),
    count: isFromOne(count, REDEMPTION_COUNT_MAX) ? undefined : t('redemption.countBad'),
  };
}

export const bodyOf = ({ name, quota, expiry }: RedemptionValues, timeZone: string) => ({
  name: name.trim(),
  quota: Number(quota),
  expired_time: readExpiry(expiry, timeZone) ?? NEVER,
});
