import { expect, it } from 'bun:test';
import { ApiError } from './api-error.ts';
import { eachOf } from './each-of.ts';

it('works through all rows, a few at a time, and tells those that failed in their order', async () => {
  let [now, most] = [0, 0];
  const rows = Array.from({ length: 11 }, (_, at) => at);
  const { done, failed } = await eachOf(rows, async (row) => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    if (row % 5 === 3) throw new Error('no');
  });
  expect(failed).toEqual([3, 8]);
  expect(done).toEqual(rows.filter((row) => row % 5 !== 3));
  expect(most).toBe(4);
});

/** Work that fails at one row. */
const failingAt = (at: number, status: number, code = 'FAILED') => {
  const tried: number[] = [];
  const work = async (row: number) => {
    tried.push(row);
    await Promise.resolve();
    if (row === at) throw new ApiError({ code, message: '', status, requestId: '' });
  };
  return { tried, work };
};

it.each([
  [401, 'SESSION_EXPIRED'],
  [403, 'BATCH_STOPPED'],
  [429, 'TOO_MANY'],
  [503, 'BUSY'],
  [0, 'TRANSPORT'],
])('ends at what says nothing of a row, and tells to how many it was done: %i %s', async (status, code) => {
  const { tried, work } = failingAt(5, status, code);
  const rows = Array.from({ length: 40 }, (_, at) => at);
  const error = await eachOf(rows, work).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, status, data: tried.length - 1 });
  expect(tried.length).toBeLessThan(10);
});

it('counts a refusal of the row and goes on', async () => {
  const { tried, work } = failingAt(5, 403);
  const rows = Array.from({ length: 40 }, (_, at) => at);
  expect((await eachOf(rows, work)).failed).toEqual([5]);
  expect(tried).toEqual(rows);
});
