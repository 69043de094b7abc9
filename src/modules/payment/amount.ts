/**
 * What an amount of quota costs in money, in integers throughout: options are exact decimals, money is counted in the
 * smallest unit of its currency, and only the last step rounds, half up.
 */
import { DECIMAL_ONE, type Decimal } from '../../core/decimal.ts';

export interface TopupTerms {
  /** Units of the currency for one US dollar of quota. */
  price: Decimal;
  /** Of the buyer's group. */
  groupRatio: Decimal;
  /** Of the code that he brings; one without. */
  discount: Decimal;
  /** How many quota units are one US dollar. */
  quotaPerUnit: number;
  /** Decimal places of the currency: 2 for yuan and dollars, 0 for yen. */
  places: number;
}

/** The least that is ever asked for, in the smallest unit of the currency. */
const LEAST = 1n;

/** What `quota` units cost, in the smallest unit of the currency. */
export function payable(quota: bigint, terms: TopupTerms): bigint {
  const { price, groupRatio, discount, quotaPerUnit, places } = terms;
  const exact = quota * price * groupRatio * discount * 10n ** BigInt(places);
  const scale = BigInt(quotaPerUnit) * DECIMAL_ONE ** 3n;
  const rounded = (2n * exact + scale) / (2n * scale);
  return rounded > LEAST ? rounded : LEAST;
}

/** Money in the smallest unit as providers and pages write it: `730n` with 2 places → `7.30`. */
export function moneyText(minor: bigint, places: number): string {
  const digits = minor.toString().padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The other way round; null for what is no such amount, or has more places than the currency. */
export function moneyOf(text: string, places: number): bigint | null {
  const match = /^(\d{1,15})(?:\.(\d+))?$/.exec(text.trim());
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  const kept = fraction.slice(0, places).padEnd(places, '0');
  return /[^0]/.test(fraction.slice(places)) ? null : BigInt(whole + kept);
}
