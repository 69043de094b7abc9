/** What a buyer gets and pays: the amount that he asks for, his group's ratio, and the discount code that he brings. */
import { DECIMAL_ONE, type Decimal, decimalOf, decimalText } from '../../core/decimal.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import { nowSec } from '../../core/time.ts';
import type { Options } from '../../options/store.ts';
import { payable, type TopupTerms } from './amount.ts';
import type { AmountBody } from './contract.ts';
import { PAYMENT_PROVIDERS } from './facts.ts';
import { priceOf } from './price.ts';
import type { PaymentProvider } from './provider.ts';

export interface Quote {
  /** Quota units that are bought. */
  quota: number;
  /** In the smallest unit of the currency. */
  money: bigint;
  /** What it would be without the code. */
  fullMoney: bigint;
  currency: string;
  places: number;
  /** Empty for none. */
  code: string;
  /** How often the code may be used at all; null for any number. */
  codeLimit: number | null;
}

/** What `amount` counts, and between which bounds it lies. */
export function amountTerms(options: Options): {
  unit: 'usd' | 'quota';
  quotaOfOne: number;
  min: number;
  max: number;
} {
  const perDollar = options.get('QuotaPerUnit');
  const min = options.get('MinTopUp');
  return options.get('DisplayInCurrencyEnabled')
    ? { unit: 'usd', quotaOfOne: perDollar, min, max: limits.topupDollars }
    : { unit: 'quota', quotaOfOne: 1, min: min * perDollar, max: limits.topupDollars * perDollar };
}

/** Empty for none. */
export const codeOf = ({ top_up_code: given }: AmountBody): string => (given ?? '').trim();

/** Throws TOPUP_AMOUNT, TOPUP_AMOUNT_WHOLE, TOPUP_AMOUNT_MAX, TOPUP_CODE. */
export function quote(
  options: Options,
  { price, currency, places }: PaymentProvider,
  group: string,
  body: AmountBody,
): Quote {
  const quota = quotaOf(options, body.amount ?? 0);
  const code = codeOf(body);
  const discount = code === '' ? null : requireDiscount(options, code);
  const terms = termsOf(options, { price, places }, group);
  const priced = (ratio: Decimal): bigint => payable(BigInt(quota), { ...terms, discount: ratio });
  const [money, fullMoney] = [priced(discount?.ratio ?? DECIMAL_ONE), priced(DECIMAL_ONE)];
  if (fullMoney > BigInt(Number.MAX_SAFE_INTEGER))
    throw fail('TOPUP_AMOUNT_MAX', { params: { max: amountTerms(options).max } });
  return { quota, money, fullMoney, currency, places, code, codeLimit: discount?.limit ?? null };
}

/** What a group pays now. */
function termsOf(
  options: Options,
  { price, places }: Pick<TopupTerms, 'price' | 'places'>,
  group: string,
): Omit<TopupTerms, 'discount'> {
  const groupRatio = decimalOf(topupRatio(options, group)) ?? DECIMAL_ONE;
  return { price, places, groupRatio, quotaPerUnit: options.get('QuotaPerUnit') };
}

/** By which a group's price of quota is multiplied; 1 for one that is not named. */
export const topupRatio = (options: Options, group: string): number =>
  own(options.get('TopupGroupRatio'), group) ?? 1;

/**
 * What an order would cost if it were made now, in the smallest unit of its currency; null where its provider takes another
 * currency by now, in which it cannot be told.
 */
export function moneyNow(
  options: Options,
  order: { provider: string; currency: string; places: number; quota: number },
  group: string,
  discount: Discount | null,
): bigint | null {
  const provider = PAYMENT_PROVIDERS.find((name) => name === order.provider);
  if (!provider) return null;
  const { price, currency } = priceOf[provider](options);
  if (currency !== order.currency) return null;
  const terms = termsOf(options, { price, places: order.places }, group);
  return payable(BigInt(order.quota), { ...terms, discount: discount?.ratio ?? DECIMAL_ONE });
}

function quotaOf(options: Options, amount: number): number {
  const { quotaOfOne, min, max } = amountTerms(options);
  if (amount < min) throw fail('TOPUP_AMOUNT', { params: { min } });
  if (!Number.isSafeInteger(amount) || amount < 1) throw fail('TOPUP_AMOUNT_WHOLE');
  if (amount > max) throw fail('TOPUP_AMOUNT_MAX', { params: { max } });
  const quota = amount * quotaOfOne;
  if (!Number.isSafeInteger(quota)) throw fail('TOPUP_AMOUNT_MAX', { params: { max } });
  return quota;
}

export interface Discount {
  ratio: Decimal;
  /** How often it may be used at all; null for any number. */
  limit: number | null;
}

/** What a code takes off now; null for one that is unknown or whose time is over. */
export function discountOf(options: Options, code: string): Discount | null {
  const codes = options.get('TopupCodes');
  const found = Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (!found || (found.expires !== undefined && found.expires <= nowSec())) return null;
  return { ratio: decimalOf(found.ratio) ?? DECIMAL_ONE, limit: found.limit ?? null };
}

/** A code that takes nothing off is refused, so that nobody pays more than he thinks. */
function requireDiscount(options: Options, code: string): Discount {
  const discount = discountOf(options, code);
  if (!discount) throw fail('TOPUP_CODE');
  return discount;
}

/** Quota units as US dollars, as plain digits: `10`, `0.5`. */
export const dollarsOf = (quota: number, quotaPerUnit: number): string =>
  decimalText((BigInt(quota) * 1_000_000n) / BigInt(quotaPerUnit), 6);
