/** The token form: its values, its rules in the specification's words, and the body that it sends. */

import { NEVER } from '@core/time.ts';
import { DEFAULT_QUOTA, NAME_MAX } from '@modules/token/facts.ts';
import { expiryError, expiryText, readExpiry } from '@/lib/expiry.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { isWhole } from '@/lib/whole.ts';
import { modelsOf, type Token } from './token.ts';

export interface TokenValues {
  name: string;
  /** `yyyy-MM-dd HH:mm:ss` in the viewer's zone, or -1. */
  expiry: string;
  /** Quota units, as typed. */
  quota: string;
  unlimited: boolean;
  /** Empty: the account's own. */
  group: string;
  limitModels: boolean;
  models: string[];
  ips: string;
  /** Calls may go out with the owner's own keys at suppliers. */
  ownKeys: boolean;
  /** How many to make; as typed. */
  count: string;
}

const COUNT_MAX = 100;
export const COUNT_PICKS = [1, 10, 20, 30, 100];
const SUFFIX_LENGTH = 6;

export const emptyToken: TokenValues = {
  name: '',
  expiry: String(NEVER),
  quota: String(DEFAULT_QUOTA),
  unlimited: false,
  group: '',
  limitModels: false,
  models: [],
  ips: '',
  ownKeys: true,
  count: '1',
};

export const valuesOf = (token: Token, timeZone: string): TokenValues => ({
  name: token.name,
  expiry: expiryText(token.expired_time, timeZone),
  quota: String(token.remain_quota),
  unlimited: token.unlimited_quota,
  group: token.group,
  limitModels: token.model_limits_enabled,
  models: modelsOf(token) ?? token.model_limits.split(',').filter(Boolean),
  ips: token.allow_ips,
  ownKeys: token.own_keys,
  count: '1',
});

export interface Surroundings {
  timeZone: string;
  now: number;
  /** Values before the change: an expiry that has passed may stay as it is. */
  initial: TokenValues;
}

export function tokenErrors(
  values: TokenValues,
  { timeZone, now, initial }: Surroundings,
  t: TFunction,
): FieldErrors<TokenValues> {
  return {
    name: nameError(values, t),
    expiry: expiryError(values.expiry, { timeZone, now, initial: initial.expiry }, t),
    quota: values.unlimited || isWhole(values.quota) ? undefined : t('token.quotaBad'),
    count:
      isWhole(values.count) && Number(values.count) >= 1 && Number(values.count) <= COUNT_MAX
        ? undefined
        : t('token.countBad'),
  };
}

function nameError({ name, count }: TokenValues, t: TFunction): string | undefined {
  const length = [...name.trim()].length;
  if (length === 0) return t('token.nameNeeded');
  // Names of a batch grow by a dash and their random ending.
  const room = Number(count) > 1 ? NAME_MAX - SUFFIX_LENGTH - 1 : NAME_MAX;
  return length > room ? t('token.nameLong') : undefined;
}

/** The body of a create, or of an update when `before` is given: then only a quota that was changed is sent. */
export function bodyOf(values: TokenValues, timeZone: string, before?: TokenValues) {
  return {
    name: values.name.trim(),
    expired_time: readExpiry(values.expiry, timeZone) ?? NEVER,
    ...(before?.quota === values.quota
      ? {}
      : { remain_quota: values.unlimited ? undefined : Number(values.quota) }),
    unlimited_quota: values.unlimited,
    group: values.group,
    model_limits_enabled: values.limitModels,
    model_limits: values.models.join(','),
    allow_ips: values.ips,
    // What nobody changed is not said again: an application may change a token, and never that.
    ...((before?.ownKeys ?? emptyToken.ownKeys) === values.ownKeys ? {} : { own_keys: values.ownKeys }),
  };
}

const SUFFIX_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Six letters and digits that tell the tokens of a batch apart; no secret. */
export const randomSuffix = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH)),
    (byte) => SUFFIX_LETTERS[byte % SUFFIX_LETTERS.length],
  ).join('');

/** The names of a batch: the first as typed, the others with their own endings. */
export function batchNames(name: string, count: number, suffix = randomSuffix): string[] {
  const names = new Set([name]);
  while (names.size < count) names.add(`${name}-${suffix()}`);
  return [...names];
}
