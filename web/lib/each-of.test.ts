import { expect, it } from 'bun:test';
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
