import { expect, it } from 'bun:test';
import { decimalOf } from './decimal.ts';
import { usdOfRatio } from './price-ratio.ts';

it.each([
  [0.3, 8.333333333333, 2.5],
  [3, 8.333333333333, 25],
  [1.25, 8, 10],
  [0.6, 0.3, 0.18],
  [2, 0, 0],
])('what costs %d times %d is %d dollars, without what a quotient leaves', (input, ratio, usd) => {
  expect(usdOfRatio(decimalOf(input) ?? 0n, decimalOf(ratio) ?? 0n)).toBe(usd);
});
