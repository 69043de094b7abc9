import { expect, test } from 'bun:test';
import { eachRow } from './each-row.ts';
import { fail } from './errors.ts';

test('the same is done to each row once, whatever became of another', async () => {
  const done: number[] = [];
  const work = async (id: number) => {
    if (id === 2) throw fail('NOT_FOUND');
    if (id === 4) throw fail('USER_LEVEL');
    done.push(id);
  };
  expect(await eachRow([3, 2, 1, 4, 3], work)).toBe(2);
  expect(done).toEqual([3, 1]);
});

const faults = [new Error('no database'), fail('INTERNAL'), fail('OVERLOADED'), fail('RATE_LIMIT')];

test.each(faults.map((fault) => [fault.message, fault] as const))(
  'what is not the row’s matter ends it: %s',
  async (_, fault) => {
    const done: number[] = [];
    const work = async (id: number) => {
      if (id === 5) throw fault;
      done.push(id);
    };
    await expect(eachRow([4, 5, 6], work)).rejects.toBe(fault);
    expect(done).toEqual([4]);
  },
);
