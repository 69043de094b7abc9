import { expect, test } from 'bun:test';
import { limits } from '../core/limits.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { Shortfalls } from './shortfalls.ts';

const of = { userId: 7, modelName: 'gpt-4o' };
const lacking = (paid: number, writtenOff: number) => ({ paid, writtenOff, committed: true });

test('adds the most that was lacking, for a day after the last', () => {
  let now = 1;
  const shortfalls = new Shortfalls({ now: () => now });
  shortfalls.settled({ ...of, asked: 100 }, lacking(400, 50));
  expect(shortfalls.covering({ ...of, amount: 100 })).toBe(450);
  shortfalls.settled({ ...of, asked: 100 }, lacking(0, 120));
  expect(shortfalls.covering({ ...of, amount: 10 })).toBe(360);
  now += limits.shortfallMs - 1;
  shortfalls.settled({ ...of, asked: 10 }, lacking(0, 1_010));
  now += limits.shortfallMs - 1;
  expect(shortfalls.covering({ ...of, amount: 10 })).toBe(1_010);
  now += 2;
  expect(shortfalls.covering({ ...of, amount: 10 })).toBe(10);
});

test('takes all names that ask a model to think for the model', () => {
  const shortfalls = new Shortfalls();
  const called = (modelName: string) => ({ userId: 7, modelName });
  shortfalls.settled({ ...called('gemini-2.5-flash-thinking-1024'), asked: 100 }, lacking(400, 50));
  shortfalls.settled({ ...called('gpt-5-mini-low'), asked: 100 }, lacking(0, 120));
  for (const name of ['', '-thinking-1025', '-thinking-01024', '-nothinking', '-thinking-1-thinking-2'])
    expect(shortfalls.covering({ ...called(`gemini-2.5-flash${name}`), amount: 1 })).toBe(351);
  expect(shortfalls.covering({ ...called('gpt-5-mini-high'), amount: 1 })).toBe(21);
  expect(shortfalls.covering({ ...called('gpt-5-high'), amount: 1 })).toBe(1);
});

test('adds nothing where all was paid, for other users and models, or for what is free, and stays within what can be held', () => {
  const shortfalls = new Shortfalls();
  shortfalls.settled({ ...of, asked: 100 }, lacking(900, 0));
  expect(shortfalls.covering({ ...of, amount: 100 })).toBe(100);
  shortfalls.settled({ ...of, asked: 1 }, lacking(0, QUOTA_MAX));
  expect(shortfalls.covering({ ...of, modelName: 'gpt-4', amount: 5 })).toBe(5);
  expect([
    shortfalls.covering({ ...of, amount: 0 }),
    shortfalls.covering({ ...of, userId: 8, amount: 5 }),
  ]).toEqual([0, 5]);
  expect(shortfalls.covering({ ...of, amount: 5 })).toBe(QUOTA_MAX);
});
