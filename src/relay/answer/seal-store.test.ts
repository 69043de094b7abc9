import { expect, it, spyOn } from 'bun:test';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { recallSeals, rememberSeals } from './seal-store.ts';

const log = { warn: () => undefined };
const caller = { userId: 1, appId: 5 };

async function marksOf(asker: typeof caller | { userId: number; appId: null }, deps = { pieces, log }) {
  const known = await recallSeals(asker, ['s1', 's2', 's2', 's3'], deps);
  return ['s1', 's2', 's3'].map((seal) => known.get(seal));
}

const pieces = memoryOneTimeStore();

it('remembers seals for who was answered, and for nobody else', async () => {
  await rememberSeals(caller, ['s1'], 'mark of a', { pieces, log });
  await rememberSeals(caller, ['s3'], 'mark of b', { pieces, log });
  expect(await marksOf(caller)).toEqual(['mark of a', undefined, 'mark of b']);
  for (const other of [
    { userId: 1, appId: null },
    { userId: 2, appId: 5 },
  ])
    expect(await marksOf(other)).toEqual([undefined, undefined, undefined]);
});

it('asks once for all of them, and not for none', async () => {
  const getAll = spyOn(pieces, 'getAll');
  await marksOf(caller);
  await recallSeals(caller, [], { pieces, log });
  expect(getAll.mock.calls.map(([names]) => names.length)).toEqual([3]);
  getAll.mockRestore();
});

it('knows none while the memory is away', async () => {
  const away = async () => {
    throw new Error('away');
  };
  const deps = { pieces: { ...memoryOneTimeStore(), put: away, getAll: away }, log };
  await rememberSeals(caller, ['s1'], 'mark', deps);
  expect(await marksOf(caller, deps)).toEqual([undefined, undefined, undefined]);
});

it('remembers no more seals of an answer than answers have', async () => {
  const put = spyOn(pieces, 'put');
  const seals = Array.from({ length: 300 }, (_, n) => `s${n}`);
  await rememberSeals(caller, seals, 'mark', { pieces, log });
  expect(put.mock.calls.length).toBeWithin(16, 65);
  put.mockRestore();
});
