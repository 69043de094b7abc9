/**
 * Quota as people read it. An amount is cut off after two decimals, never rounded, by integer arithmetic: what is shown
 * is never more than what is there. One of which nothing would be left keeps its first digits: it is small, not free, and
 * whoever compares a column finds one unit in it. Rates (prices per million tokens) are no amounts and keep six significant
 * digits.
 */
import { DECIMAL_ONE, decimalOf, decimalText } from './decimal.ts';
import type { Text } from './text.ts';

export interface MoneyRules {
  /** Quota units of one US dollar. */
  quotaPerUnit: number;
  /** Yuan of one US dollar. */
  price: number;
  /** False: amounts are shown as quota units. */
  inCurrency: boolean;
  locale: 'zh' | 'en';
}

export interface AmountText {
  /** `¥1.20`, `−$0.01`; `$0.0049` below a cent; `2,450` when amounts are shown in units. */
  text: string;
  /** `2,450`; the exact units. */
  units: string;
  /** Every decimal of the amount, for who wants to reckon: `¥0.03577`. Null when amounts are shown in units. */
  exact: string | null;
  /** Not nothing, though its two decimals would say 0.00. */
  belowCent: boolean;
}

const MINUS = '−';
const EXACT_PLACES = 10;
/** Of an amount below a cent. */
const SMALL_DIGITS = 4;

/** Units × rate / per unit, scaled by 10^places and cut off toward zero. */
function scaled(units: bigint, rules: MoneyRules, places: number): bigint {
  const perUnit = decimalOf(rules.quotaPerUnit) || DECIMAL_ONE;
  const rate = rules.locale === 'zh' ? (decimalOf(rules.price) ?? DECIMAL_ONE) : DECIMAL_ONE;
  return (units * rate * 10n ** BigInt(places)) / perUnit;
}

export const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** Whole numbers with thousands marks and a real minus. */
export function formatNumber(value: number | bigint): string {
  const whole = typeof value === 'bigint' ? value : BigInt(Math.trunc(value));
  return (whole < 0n ? MINUS : '') + grouped((whole < 0n ? -whole : whole).toString());
}

function withPoint(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  return `${grouped(digits.slice(0, -places))}.${digits.slice(-places)}`;
}

function inUnits(units: bigint, text: string, { locale }: Pick<MoneyRules, 'locale'>): string {
  if (locale === 'zh') return `${text} 单位`;
  return `${text} ${units === 1n || units === -1n ? 'unit' : 'units'}`;
}

/** An amount as sentences say it that are kept: what a unit is worth may change later. */
export const unitsText = (quota: number): Text => {
  const units = BigInt(Math.trunc(quota));
  const said = (locale: MoneyRules['locale']) => inUnits(units, formatNumber(units), { locale });
  return { zh: said('zh'), en: said('en') };
};

/** Without the zeros that say nothing; two decimals stay. */
const decimals = (value: bigint): string => withPoint(value, EXACT_PLACES).replace(/(\.\d\d\d*?)0+$/, '$1');

/** The first digits alone, cut off. */
function cutTo(digits: number, value: bigint): bigint {
  const rest = 10n ** BigInt(Math.max(0, value.toString().length - digits));
  return value - (value % rest);
}

/** An amount in quota units, a safe integer of either sign; below a cent with so many digits at the most. */
export function formatAmount(quota: number, rules: MoneyRules, smallDigits = SMALL_DIGITS): AmountText {
  const units = BigInt(Math.trunc(quota));
  const digits = formatNumber(units);
  if (!rules.inCurrency) return { text: digits, units: digits, exact: null, belowCent: false };
  const magnitude = units < 0n ? -units : units;
  const cents = scaled(magnitude, rules, 2);
  const belowCent = cents === 0n && units !== 0n;
  const symbol = rules.locale === 'zh' ? '¥' : '$';
  const sign = units < 0n ? MINUS : '';
  const exact = scaled(magnitude, rules, EXACT_PLACES);
  const small = cutTo(smallDigits, exact);
  return {
    // Of a currency in which even this is nothing, only the units tell.
    text:
      belowCent && small === 0n
        ? inUnits(units, digits, rules)
        : `${sign}${symbol}${belowCent ? decimals(small) : withPoint(cents, 2)}`,
    units: digits,
    exact: `${sign}${symbol}${decimals(exact)}`,
    belowCent,
  };
}

/** The same for readers of either language, who see it in their own currency. */
export const amountText = (quota: number, rules: Omit<MoneyRules, 'locale'>): Text => ({
  zh: formatAmount(quota, { ...rules, locale: 'zh' }).text,
  en: formatAmount(quota, { ...rules, locale: 'en' }).text,
});

/** A rate, such as dollars per million tokens: at most six significant digits, no trailing zeros. */
export const formatRate = (value: number): string => String(Number(value.toPrecision(6)));

const TIME_UNITS = { zh: { min: '分', sec: '秒' }, en: { min: 'min', sec: 's' } } as const;

/** Seconds as people compare them: `0.82 s`, `12.4 s`, `2 min 5 s`; `2 分 5 秒`. */
export function formatSeconds(seconds: number, locale: MoneyRules['locale']): string {
  const { min, sec } = TIME_UNITS[locale];
  if (seconds < 10) return `${(Math.floor(seconds * 100) / 100).toFixed(2)} ${sec}`;
  if (seconds < 60) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} ${sec}`;
  return `${Math.floor(seconds / 60)} ${min} ${Math.floor(seconds % 60)} ${sec}`;
}

/** US dollars as a sheet reckons with them, without symbol and marks: `0.0049`. Of a non-negative amount of units. */
export function usdText(quota: number, quotaPerUnit: number): string {
  const perUnit = decimalOf(quotaPerUnit) || DECIMAL_ONE;
  return decimalText((BigInt(quota) * DECIMAL_ONE * 10n ** BigInt(EXACT_PLACES)) / perUnit, EXACT_PLACES);
}
