import { expect, it } from 'bun:test';
import { charsOf, weightOf } from './json-weight.ts';

it('weighs what was parsed: texts by their bytes, names, and a little for each value', () => {
  expect(weightOf({ a: 'x'.repeat(1_000), list: [1, null, true] })).toBeGreaterThan(1_000);
  expect(weightOf({ a: 'x'.repeat(1_000), list: [1, null, true] })).toBeLessThan(1_200);
  expect(weightOf('é'.repeat(1_000))).toBeGreaterThan(2_000);
});

it('counts what stands twice twice, and looks no further than it must', () => {
  const text = 'x'.repeat(1_000);
  expect(charsOf([text, text, text])).toBeGreaterThan(3_000);
  const beyond = {
    text,
    get more(): string {
      throw new Error('looked at');
    },
  };
  expect(charsOf([text, beyond], 1_500)).toBeGreaterThan(1_500);
});
