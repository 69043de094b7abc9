/** The numbers of the tables of prices, exactly as they are written there. */
import { type Decimal, decimalOf } from '../core/decimal.ts';
import { invariant } from '../core/invariant.ts';
import { own } from '../core/own.ts';

/** The same few numbers are read for every call. */
const decimals = new Map<number, Decimal>();
const DECIMALS_MAX = 10_000;

/** Options refuse ratios of more than 12 places when they are saved. */
export function decimal(value: number): Decimal {
  let found = decimals.get(value) ?? null;
  if (found !== null) return found;
  found = decimalOf(value);
  invariant(found !== null, `the ratio ${value} is no decimal of at most 12 places`);
  if (decimals.size >= DECIMALS_MAX) decimals.clear();
  decimals.set(value, found);
  return found;
}

export function ratioIn(table: Readonly<Record<string, number>>, name: string): Decimal | null {
  const value = own(table, name);
  return value === undefined ? null : decimal(value);
}
