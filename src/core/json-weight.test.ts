import { expect, it } from 'bun:test';
import { weightOf } from './json-weight.ts';

it('weighs what was parsed: texts by their bytes, names, and a little for each value', () => {
  expect(weightOf({ a: 'x'.repeat(1_000), list: [1, null, true] })).toBeGreaterThan(1_000);
  expect(weightOf({ a: 'x'.repeat(1_000), list: [1, null, true] })).toBeLessThan(1_200);
  expect(weightOf('é'.repeat(1_000))).toBeGreaterThan(2_000);
});
