/** Ratios of prices, in which options say what a model costs, and US dollars, in which people read it. */
import { DECIMAL_ONE, type Decimal, decimalText } from './decimal.ts';

/** A ratio of 1 is this price of a million tokens, in US dollars. */
export const USD_PER_RATIO = 2;

/** A ratio of twelve places carries no more digits: 8.333333333333 × 0.3 is 2.5. */
const DIGITS = 12;

/** A price that was worked out, as its reader takes it. */
export const workedOut = (usd: Decimal): number => Number(Number(decimalText(usd)).toPrecision(DIGITS));

/** What costs so many times an input price. */
export const usdOfRatio = (input: Decimal, ratio: Decimal): number =>
  workedOut((2n * input * ratio + DECIMAL_ONE) / (2n * DECIMAL_ONE));
