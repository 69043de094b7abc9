/** Amounts as somebody types them who looks for lines. */
import { DECIMAL_ONE, decimalOf } from '@core/decimal.ts';
import { formatAmount, type MoneyRules } from '@core/money.ts';

/**
 * The units that are shown as an amount that was typed as it is read, `7.3` or `¥1,007.30`, from the least of them to the
 * most; null for what is no amount.
 */
export function unitsShownAs(typed: string, rules: MoneyRules): { least: number; most: number } | null {
  const amount = decimalOf(typed.replace(/[\s,¥￥$]/g, ''));
  const rate = rules.locale === 'zh' ? (decimalOf(rules.price) ?? DECIMAL_ONE) : DECIMAL_ONE;
  if (amount === null || rate === 0n) return null;
  const perUnit = decimalOf(rules.quotaPerUnit) || DECIMAL_ONE;
  /** The first units that are shown as so many cents. */
  const first = (cents: bigint) => (cents * perUnit + rate * 100n - 1n) / (rate * 100n);
  const whole = amount / DECIMAL_ONE;
  const cents = (amount * 100n) / DECIMAL_ONE;
  const [least, most] = rules.inCurrency ? [first(cents), first(cents + 1n) - 1n] : [whole, whole];
  return most > Number.MAX_SAFE_INTEGER ? null : { least: Number(least), most: Number(most) };
}

/** Units as such an amount, to be read again: what is below a cent is none, though elsewhere its digits are shown. */
export function amountShown(units: number, rules: MoneyRules): string {
  const { text, belowCent } = formatAmount(units, rules);
  return belowCent ? formatAmount(0, rules).text : text;
}
