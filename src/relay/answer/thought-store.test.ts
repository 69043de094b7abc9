import { expect, it, spyOn } from 'bun:test';
import { noUsage, type Usage } from '../../core/usage.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { recallThoughts, rememberThoughts } from './thought-store.ts';

const log = { warn: () => undefined };
const caller = { userId: 1, appId: 5 };
const told = (output: number, reasoning: number) => ({ ...noUsage(), output, reasoning });
const kept = (...ids: string[]) => ids.map((id) => ({ id, isSealed: false }));
const sealed = (id: string) => ({ id, isSealed: true });
const LONG = 'x'.repeat(2_000);

async function memory() {
  const deps = { answers: memoryOneTimeStore(), pieces: memoryOneTimeStore(), log };
  const remember = (tokens: Usage | null, ...ids: string[]) =>
    rememberThoughts(caller, { thoughts: ids, areKept: true }, tokens, deps);
  await remember(told(90, 70), 'rs:1', 'rs:2');
  await remember(told(40, 0), 'rs:3');
  await remember(null, 'rs:4');
  await remember(told(9, 9), LONG);
  // Whoever keeps nothing has nothing to read, however much it was, and whatever it calls so.
  const shown = { thoughts: ['rs:3', 'rs:5'], areKept: false };
  await rememberThoughts(caller, shown, null, deps);
  return deps;
}

it.each([
  ['none', [], 0],
  ['a piece of several', kept('rs:2'), 70],
  ['all pieces', kept('rs:1', 'rs:2'), 70],
  ['a piece named twice', kept('rs:1', 'rs:2', 'rs:2'), 140],
  ['several answers', kept('rs:1', 'rs:3'), 110],
  ['one that is not kept', kept('rs:5'), 0],
  ['one that is not kept beside another', kept('rs:5', 'rs:1'), 70],
  ['one that has the name of another which is', kept('rs:3'), 40],
  ['one of which nothing was told', kept('rs:1', 'rs:4'), null],
  ['one that nobody gave', kept('rs:9', 'rs:1'), null],
  ['one of a name that is too long', kept(LONG), null],
  ['one that is sealed beside its id', [...kept('rs:1'), sealed('rs:9')], 70],
  ['one that is known and sealed', [sealed('rs:3')], 40],
  ['one that is sealed in one place alone', [sealed('rs:9'), ...kept('rs:9')], null],
])('recalls %s', async (_, thoughts, tokens) => {
  expect(await recallThoughts(caller, thoughts, await memory())).toBe(tokens);
});

it('recalls them for nobody else', async () => {
  const deps = await memory();
  for (const other of [
    { userId: 1, appId: null },
    { userId: 2, appId: 5 },
  ]) {
    expect(await recallThoughts(other, kept('rs:1'), deps)).toBeNull();
  }
});

it('takes them for unknown while the memory is away', async () => {
  const away = async () => {
    throw new Error('away');
  };
  const deps = {
    answers: memoryOneTimeStore(),
    pieces: { ...memoryOneTimeStore(), put: away, get: away, getAll: away },
    log,
  };
  await rememberThoughts(caller, { thoughts: ['rs:1'], areKept: true }, told(90, 70), deps);
  expect(await recallThoughts(caller, kept('rs:1'), deps)).toBeNull();
});

it('remembers no more pieces of an answer than answers have', async () => {
  const pieces = memoryOneTimeStore();
  const put = spyOn(pieces, 'put');
  const ids = Array.from({ length: 300 }, (_, n) => `rs:${n}`);
  await rememberThoughts(caller, { thoughts: ids, areKept: true }, told(90, 70), {
    answers: pieces,
    pieces,
    log,
  });
  expect(put.mock.calls.length).toBeWithin(16, 65);
});
