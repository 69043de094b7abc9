import { expect, test } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { LetOff } from './let-off.ts';

test('lets each user off once, until a day has passed since', () => {
  let now = 1;
  const letOff = new LetOff({ now: () => now });
  expect([letOff.once(7), letOff.once(7), letOff.once(8)]).toEqual([true, false, true]);
  now += limits.letOffMs - 1;
  expect(letOff.once(7)).toBe(false);
  // What was not let off does not make it longer.
  now += 2;
  expect([letOff.once(7), letOff.once(7)]).toEqual([true, false]);
});
