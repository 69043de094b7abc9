import { expect, test } from 'bun:test';
import { eachRow } from './each-row.ts';
import { fail } from './errors.ts';

test('the same is done to each row once, whatever became of another, and a fault of ours ends it', async () => {
  const done: number[] = [];
  const work = async (id: number) => {
    if (id === 2) throw fail('NOT_FOUND');
    if (id === 5) throw new Error('no database');
    done.push(id);
  };
  expect(await eachRow([3, 2, 1, 3], work)).toBe(2);
  expect(done).toEqual([3, 1]);
  await expect(eachRow([4, 5, 6], work)).rejects.toThrow('no database');
  expect(done).toEqual([3, 1, 4]);
});
