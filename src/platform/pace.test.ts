import { expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { watchPace } from './pace.ts';

const EVERY_MS = 40;
const ENOUGH = (limits.bodyBytesASecond * EVERY_MS) / 1000;

it('ends what comes too slowly, and counts what came for one look alone', async () => {
  const begin = performance.now();
  const first = Promise.withResolvers<void>();
  const slow = watchPace(first.resolve, EVERY_MS);
  slow.came(ENOUGH - 1);
  const second = Promise.withResolvers<void>();
  const stalled = watchPace(second.resolve, EVERY_MS);
  stalled.came(3 * ENOUGH);
  await first.promise;
  slow.end();
  await second.promise;
  stalled.end();
  expect(performance.now() - begin).toBeGreaterThan(1.5 * EVERY_MS);
});

it('leaves alone what is read', async () => {
  let isEnded = false;
  const read = watchPace(() => {
    isEnded = true;
  }, EVERY_MS);
  read.end();
  const later = Promise.withResolvers<void>();
  const other = watchPace(later.resolve, 2 * EVERY_MS);
  await later.promise;
  other.end();
  expect(isEnded).toBe(false);
});
