import { expect, test } from 'bun:test';
import { limits } from '../core/limits.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { Shortfalls } from './shortfalls.ts';

const of = { userId: 7, tokenId: 70, sold: 'gpt-4o' };
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

test('adds nothing where all was paid, for other users and models, or for what is free, and stays within what can be held', () => {
  const shortfalls = new Shortfalls();
  shortfalls.settled({ ...of, asked: 100 }, lacking(900, 0));
  expect(shortfalls.covering({ ...of, amount: 100 })).toBe(100);
  shortfalls.settled({ ...of, asked: 1 }, lacking(0, QUOTA_MAX));
  expect(shortfalls.covering({ ...of, sold: 'gpt-4', amount: 5 })).toBe(5);
  expect([
    shortfalls.covering({ ...of, amount: 0 }),
    shortfalls.covering({ ...of, userId: 8, amount: 5 }),
  ]).toEqual([0, 5]);
  expect(shortfalls.covering({ ...of, amount: 5 })).toBe(QUOTA_MAX);
});

test('adds what a key’s own limit was lacking to the calls of that key, beside nothing that the account lacked', () => {
  const shortfalls = new Shortfalls();
  const keyShort = { paid: 400, writtenOff: 0, keyShort: true, committed: true };
  shortfalls.settled({ ...of, asked: 100 }, keyShort);
  expect(shortfalls.covering({ ...of, amount: 100 })).toBe(400);
  expect(shortfalls.covering({ ...of, tokenId: 71, amount: 100 })).toBe(100);
  // What was held covers it: other calls of the key have used up its limit.
  shortfalls.settled({ ...of, tokenId: 72, asked: 400 }, keyShort);
  expect(shortfalls.covering({ ...of, tokenId: 72, amount: 100 })).toBe(100);
  // Of the two what was lacking the most.
  shortfalls.settled({ ...of, tokenId: 71, asked: 100 }, lacking(500, 50));
  expect(shortfalls.covering({ ...of, amount: 100 })).toBe(550);
  expect(shortfalls.covering({ ...of, tokenId: 71, amount: 100 })).toBe(550);
});
