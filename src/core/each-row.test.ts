import { expect, test } from 'bun:test';
import { eachRow } from './each-row.ts';
import { fail } from './errors.ts';

/** Who may all along. */
const ANYBODY = { still: async () => undefined };

test('the same is done to each row once, whatever became of another', async () => {
  const done: number[] = [];
  const work = async (id: number) => {
    if (id === 2) throw fail('NOT_FOUND');
    if (id === 4) throw fail('USER_LEVEL');
    done.push(id);
  };
  expect(await eachRow(ANYBODY, [3, 2, 1, 4, 3], work)).toBe(2);
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
    await expect(eachRow(ANYBODY, [4, 5, 6], work)).rejects.toBe(fault);
    expect(done).toEqual([4]);
  },
);

test.each<[what: string, refusal: Error, told: object]>([
  [
    'whoever may no more, and what is done is told',
    fail('SESSION_EXPIRED'),
    { code: 'BATCH_STOPPED', detail: { params: { done: 1, all: 3 }, data: 1 } },
  ],
  ['whoever cannot be asked for', fail('OVERLOADED'), { code: 'OVERLOADED' }],
])('it ends between two rows for %s', async (_what, refusal, told) => {
  const seen: number[] = [];
  const work = async (id: number) => {
    seen.push(id);
    if (id === 7) throw fail('NOT_FOUND');
  };
  const still = async () => {
    if (seen.length === 2) throw refusal;
  };
  await expect(eachRow({ still }, [7, 8, 9], work)).rejects.toMatchObject(told);
  expect(seen).toEqual([7, 8]);
});

test('it ends at a row whose record says that he may no more, and what is done is told', async () => {
  const seen: number[] = [];
  const work = async (id: number) => {
    seen.push(id);
    if (id === 8) throw fail('SESSION_EXPIRED');
  };
  await expect(eachRow(ANYBODY, [7, 8, 9], work)).rejects.toMatchObject({
    code: 'BATCH_STOPPED',
    detail: { params: { done: 1, all: 3 }, data: 1 },
  });
  expect(seen).toEqual([7, 8]);
});
