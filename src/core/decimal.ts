/** Ratios and prices as exact decimals: integers scaled by 10^12, so that no factor of a charge is ever rounded. */

export const DECIMAL_PLACES = 12;
export const DECIMAL_ONE = 10n ** BigInt(DECIMAL_PLACES);

/** A non-negative decimal, scaled by 10^12. */
export type Decimal = bigint;

const DIGITS_MAX = 400;

/**
 * The decimal that a number or text says: `0.075` → 75000000000n. A number is read by its shortest text, which is the
 * text it was parsed from. Null when it is no plain non-negative decimal, or has more than 12 places or 400 digits.
 */
export function decimalOf(value: number | string): Decimal | null {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value).trim());
  if (!match) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  // To read a million digits takes a second.
  if (whole.length + fraction.length > DIGITS_MAX) return null;
  const shift = DECIMAL_PLACES - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return shift > 60 ? null : digits * 10n ** BigInt(shift);
  // A hostile exponent must not make us compute a number of a million digits.
  if (shift < -400) return digits === 0n ? 0n : null;
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : null;
}

/** The shortest text of an integer scaled by 10^places: `75000000000n` → `0.075`. */
export function decimalText(value: bigint, places: number = DECIMAL_PLACES): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return digits.slice(0, digits.length - places) + (fraction ? `.${fraction}` : '');
}
