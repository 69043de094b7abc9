import { expect, it } from 'bun:test';
import fc from 'fast-check';
import { OutputLimit } from './output-limit.ts';

const limit = fc.option(fc.integer({ min: 1, max: 50 }));
const loosest = (all: readonly (number | null)[]) =>
  all.includes(null) ? null : Math.max(...all.map(Number));

it('is at least the loosest of what is in force and of what may be', () => {
  fc.assert(
    fc.property(limit, fc.array(limit, { maxLength: 200 }), fc.nat(200), (first, asked, told) => {
      const kept = new OutputLimit();
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
  );
});

it('keeps few, however many are asked for and never told', () => {
  const kept = new OutputLimit();
  kept.said(5);
  for (let n = 1; n <= 1_000; n++) kept.asked(n % 2 === 0 ? n : 1);
  expect([kept.waiting, kept.loosest]).toEqual([16, 1_000]);
  kept.asked(null);
  expect(kept.loosest).toBeNull();
});

it('is what was told once that was asked for last', () => {
  const kept = new OutputLimit();
  for (const each of [null, 3, 3, 7]) kept.asked(each);
  kept.said(7);
  expect([kept.waiting, kept.loosest]).toEqual([0, 7]);
});
