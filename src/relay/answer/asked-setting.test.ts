import { expect, it } from 'bun:test';
import fc from 'fast-check';
import { outputLimit, writesDown } from './asked-setting.ts';

const limit = fc.option(fc.integer({ min: 1, max: 5 }));
const loosest = (all: readonly (number | null)[]) =>
  all.includes(null) ? null : Math.max(...all.map(Number));

it('is at least the loosest of what is in force and of what may be', () => {
  fc.assert(
    fc.property(limit, fc.array(limit, { maxLength: 40 }), fc.nat(40), (first, asked, told) => {
      const kept = outputLimit();
      kept.said(first);
      for (const each of asked) kept.asked(each);
      // In the order in which they were asked for.
      const said = asked.slice(0, told);
      for (const each of said) kept.said(each);
      const open = [said.at(-1) ?? first, ...asked.slice(told)];
      const most = loosest(said.length > 0 ? open : [first, ...asked]);
      if (most === null) expect(kept.loosest).toBeNull();
      else expect(kept.loosest ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(most);
    }),
    { numRuns: 2_000 },
  );
});

it('keeps few, however many are asked for and never told', () => {
  const kept = outputLimit();
  kept.said(5);
  for (let n = 1; n <= 1_000; n++) kept.asked(n % 2 === 0 ? n : 1);
  expect([kept.waiting, kept.loosest]).toEqual([16, 1_000]);
  kept.asked(null);
  expect(kept.loosest).toBeNull();
});

it('is what was told once that was asked for last', () => {
  const kept = outputLimit();
  for (const each of [null, 3, 3, 7]) kept.asked(each);
  kept.said(7);
  expect([kept.waiting, kept.loosest]).toEqual([0, 7]);
});

it('counts what is switched on until the upstream has switched it off', () => {
  const kept = writesDown();
  kept.asked(true);
  // Of before.
  kept.said(false);
  expect(kept.loosest).toBe(true);
  kept.said(true);
  kept.asked(false);
  expect(kept.loosest).toBe(true);
  kept.said(false);
  expect([kept.loosest, kept.waiting]).toEqual([false, 0]);
});
