import { expect, it } from 'bun:test';
import { BY_SECRET, byLowBits, plainNames } from '../../tests/support/alike-names.ts';
import { bytesKeptBy } from '../../tests/support/heap.ts';
import { ALIKE_MOST } from './alike.ts';
import { PassingAlike } from './passing-alike.ts';

it.each([
  ['of one byte a character', BY_SECRET.latin],
  ['of two', BY_SECRET.wide],
  ['in ASCII, by the low bits alone', byLowBits],
])('takes as many in one place as chance has, and refuses the others again and again: %s', (_what, alike) => {
  const texts = new PassingAlike(1_000);
  const own = alike(200);
  const taken = own.filter((text) => texts.takes(text));
  expect(taken).toEqual(own.slice(0, ALIKE_MOST));
  expect(own.filter((text) => texts.takes(text))).toEqual(taken);
});

it('takes others without an end, and forgets what came before two generations of them', () => {
  const texts = new PassingAlike(1_000);
  expect(plainNames(100_000).every((text) => texts.takes(text))).toBe(true);
  const own = BY_SECRET.latin(ALIKE_MOST + 1);
  const last = own.at(-1) ?? '';
  for (const text of own) texts.takes(text);
  for (const text of plainNames(1_000)) texts.takes(text);
  expect(texts.takes(last)).toBe(false);
  for (const text of plainNames(2_000)) texts.takes(text);
  expect(texts.takes(last)).toBe(true);
});

it('counts what comes again as it does what came last, whenever it came first', () => {
  const texts = new PassingAlike(1_000);
  const alike = BY_SECRET.latin(2 * ALIKE_MOST);
  const own = alike.slice(0, ALIKE_MOST - 4);
  const others = plainNames(10_000);
  for (let n = 0; n < others.length; n += 500) {
    const passing = [...own, ...others.slice(n, n + 500)];
    expect(passing.filter((text) => !texts.takes(text))).toEqual([]);
  }
  expect(alike.filter((text) => texts.takes(text)).length).toBeWithin(own.length, ALIKE_MOST + 1);
});

it('forgets few that are long as it does many, and keeps none that takes as much as all', () => {
  const texts = new PassingAlike(1_000);
  const own = BY_SECRET.latin(ALIKE_MOST + 1);
  for (const text of own) texts.takes(text);
  for (const name of plainNames(80)) texts.takes(name.repeat(200));
  expect(texts.takes(own.at(-1) ?? '')).toBe(true);
  const keeping = () => {
    const passing = new PassingAlike(1_000);
    for (const name of plainNames(8)) passing.takes(name.repeat(100_000));
    return passing;
  };
  expect(bytesKeptBy(keeping)).toBeLessThan(100_000);
});
