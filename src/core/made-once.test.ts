import { expect, it } from 'bun:test';
import { madeOnce } from './made-once.ts';

it('is made once for all who ask, and again after it failed', async () => {
  let times = 0;
  const ask = madeOnce(async () => {
    if (++times === 1) throw new Error('not yet');
    return times;
  });
  expect(await Promise.allSettled([ask(), ask()])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
  expect(await ask()).toBe(2);
});
