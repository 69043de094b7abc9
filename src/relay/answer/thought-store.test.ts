import { expect, it } from 'bun:test';
import { noUsage } from '../../core/usage.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { recallThoughts, rememberThoughts } from './thought-store.ts';

const log = { warn: () => undefined };
const caller = { userId: 1, appId: 5 };
const told = (output: number, reasoning: number) => ({ ...noUsage(), output, reasoning });
const kept = (...ids: string[]) => ids.map((id) => ({ id, isSealed: false }));
const sealed = (id: string) => ({ id, isSealed: true });
const LONG = 'x'.repeat(300);

async function memory() {
  const deps = { answers: memoryOneTimeStore(), log };
  await rememberThoughts(caller, ['rs:1', 'rs:2'], told(90, 70), deps);
  await rememberThoughts(caller, ['rs:3'], told(40, 0), deps);
  await rememberThoughts(caller, ['rs:4'], null, deps);
  await rememberThoughts(caller, [LONG], told(9, 9), deps);
  return deps;
}

it.each([
  ['none', [], 0],
  ['a piece of several', kept('rs:2'), 70],
  ['all pieces', kept('rs:1', 'rs:2'), 70],
  ['a piece named twice', kept('rs:1', 'rs:2', 'rs:2'), 140],
  ['several answers', kept('rs:1', 'rs:3'), 110],
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
  const deps = { answers: { ...memoryOneTimeStore(), put: away, get: away }, log };
  await rememberThoughts(caller, ['rs:1'], told(90, 70), deps);
  expect(await recallThoughts(caller, kept('rs:1'), deps)).toBeNull();
});
