import { describe, expect, it, spyOn } from 'bun:test';
import { sealsIn } from '../../dialects/sealed-reasoning.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { recallSeals, rememberSeals } from './seal-store.ts';

const log = { warn: () => undefined };
const caller = { userId: 1, appId: 5 };
const of = (mark: string) => ({ sealed: mark, kept: `account of ${mark}` });

async function marksOf(
  asker: typeof caller | { userId: number; appId: null },
  deps = { answers: pieces, pieces, log },
) {
  const known = await recallSeals(asker, ['s1', 's2', 's2', 's3'], deps);
  return ['s1', 's2', 's3'].map((seal) => known.get(seal));
}

const pieces = memoryOneTimeStore();

it('remembers seals for who was answered, and for nobody else', async () => {
  await rememberSeals(caller, ['s1'], of('mark of a'), { answers: pieces, pieces, log });
  await rememberSeals(caller, ['s3'], of('mark of b'), { answers: pieces, pieces, log });
  expect(await marksOf(caller)).toEqual(['mark of a', undefined, 'mark of b']);
  for (const other of [
    { userId: 1, appId: null },
    { userId: 2, appId: 5 },
  ])
    expect(await marksOf(other)).toEqual([undefined, undefined, undefined]);
});

it('remembers ids with the account alone', async () => {
  const [byId = ''] = sealsIn([{ type: 'reasoning', id: 'rs_1', summary: [] }]);
  await rememberSeals(caller, [byId, 's1'], of('a'), { answers: pieces, pieces, log });
  const known = await recallSeals(caller, [byId, 's1'], { answers: pieces, pieces, log });
  expect([known.get(byId), known.get('s1')]).toEqual(['account of a', 'a']);
});

it('asks once for all of them, and not for none', async () => {
  const getAll = spyOn(pieces, 'getAll');
  await marksOf(caller);
  await recallSeals(caller, [], { answers: pieces, pieces, log });
  expect(getAll.mock.calls.map(([names]) => names.length)).toEqual([3]);
  getAll.mockRestore();
});

it('knows none while the memory is away', async () => {
  const away = async () => {
    throw new Error('away');
  };
  const deps = {
    answers: memoryOneTimeStore(),
    pieces: { ...memoryOneTimeStore(), put: away, getAll: away },
    log,
  };
  await rememberSeals(caller, ['s1'], of('mark'), deps);
  expect(await marksOf(caller, deps)).toEqual([undefined, undefined, undefined]);
});

it('remembers no more seals of an answer than answers have', async () => {
  const put = spyOn(pieces, 'put');
  const seals = Array.from({ length: 300 }, (_, n) => `s${n}`);
  await rememberSeals(caller, seals, of('mark'), { answers: pieces, pieces, log });
  expect(put.mock.calls.length).toBeWithin(16, 65);
  put.mockRestore();
});

describe('of seals that were refused', () => {
  /** What is known of each seal after one of these marks has refused a call, and by how many writes. */
  async function knownAfter(before: Record<string, string>, brought: string[], refusers: string[]) {
    const deps = { answers: memoryOneTimeStore(), pieces: memoryOneTimeStore(), log };
    for (const [seal, mark] of Object.entries(before)) await rememberSeals(caller, [seal], of(mark), deps);
    const put = spyOn(deps.pieces, 'put');
    for (const mark of refusers) await (await recallSeals(caller, brought, deps)).refusedBy(of(mark));
    const known = await recallSeals(caller, brought, deps);
    return [brought.map((seal) => known.get(seal) ?? '').join(' '), put.mock.calls.length];
  }
  const [brought, a] = [['s1', 's2', 's3', 's4'], 'a'];

  it.each<[which: string, before: Record<string, string>, refusers: string[], known: string, writes: number]>(
    [
      ['all that nobody remembers are nobody’s', {}, [a], '? ? ? ?', 1],
      ['those behind the last of these are kept', { s3: a, s4: 'b' }, [a], '? ? a b', 1],
      [
        'its own are nobody’s where it was sent no others',
        { s1: a, s2: a, s3: a, s4: 'b' },
        [a],
        '? ? ? b',
        1,
      ],
      ['what was refused before is not what is refused now', { s3: a, s4: a }, [a, a], '? ? ? ?', 2],
      ['nothing is noted where it was sent none', { s1: 'b', s2: 'b', s3: 'b', s4: 'b' }, [a], 'b b b b', 0],
    ],
  )('%s', async (_which, before, refusers, known, writes) => {
    expect(await knownAfter(before, brought, refusers)).toEqual([known, writes]);
  });

  it('one is written for, however many there are', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `s${n}`);
    const [known, writes] = await knownAfter({}, many, [a]);
    expect([known, writes]).toEqual([many.map(() => '?').join(' '), 1]);
  });

  it('nothing is noted while nobody could look what is known of them', async () => {
    const put = spyOn(pieces, 'put');
    const getAll = spyOn(pieces, 'getAll').mockRejectedValue(new Error('away'));
    await (await recallSeals(caller, ['s1'], { answers: pieces, pieces, log })).refusedBy(of(a));
    expect(put).not.toHaveBeenCalled();
    for (const spy of [put, getAll]) spy.mockRestore();
  });
});
