import { expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { DAY_SEC } from '../core/time.ts';
import { memoryLimiter } from './memory-limiter.ts';
import { memoryOneTimeStore } from './memory-stores.ts';

/** Ten more than there is room for. */
const FLOOD = limits.windowsInMemory + 10;

it('many short windows push no longer one out', async () => {
  const limiter = memoryLimiter();
  const tries = { key: 'tries', limit: 1, windowSec: 1_200 };
  const ofADay = { key: 'of-a-day', limit: 1, windowSec: DAY_SEC };
  await limiter.take(tries);
  await limiter.take(ofADay);
  for (let n = 0; n < FLOOD; n++) await limiter.take({ key: `page:${n}`, limit: 9, windowSec: 60 });
  expect((await limiter.peek(tries)).ok).toBe(false);
  expect((await limiter.peek(ofADay)).ok).toBe(false);
});

it('a window that is over makes room before one that is not', async () => {
  let now = 0;
  const limiter = memoryLimiter(() => now);
  const rule = { key: 'kept', limit: 1, windowSec: 300 };
  await limiter.take(rule);
  for (let round = 0; round < 2; round++) {
    for (let n = 1; n < limits.windowsInMemory; n++) {
      await limiter.take({ key: `${round}:${n}`, limit: 9, windowSec: 1 });
    }
    now += 2_000;
  }
  expect((await limiter.peek(rule)).ok).toBe(false);
});

it('a table that is full of live windows loses its oldest', async () => {
  const limiter = memoryLimiter(() => 0);
  for (let n = 0; n < FLOOD; n++) await limiter.take({ key: String(n), limit: 9, windowSec: 60 });
  const counted = await Promise.all(Array.from({ length: FLOOD }, (_, n) => limiter.counted(String(n))));
  const first = counted.indexOf(1);
  expect(first).toBeWithin(FLOOD - limits.windowsInMemory, limits.windowsDropped + 1);
  expect(counted.slice(first)).not.toContain(0);
});

it('a window is found again, cleared, and no longer there twice, when its length has changed', async () => {
  const limiter = memoryLimiter();
  await limiter.take({ key: 'changed', limit: 1, windowSec: 60 });
  expect((await limiter.take({ key: 'changed', limit: 1, windowSec: DAY_SEC })).ok).toBe(false);
  await limiter.clear('changed');
  expect(await limiter.counted('changed')).toBe(0);
});

it('many short codes push no longer one out', async () => {
  const codes = memoryOneTimeStore();
  await codes.put('link', 'reset', limits.resetSec);
  for (let n = 0; n < FLOOD; n++) await codes.put(`captcha:${n}`, '', 120);
  expect(await codes.get('link')).toBe('reset');
});
