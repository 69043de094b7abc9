import { afterEach, beforeEach, expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { type Asker, ID_MAX, type KeptKind, keep, recallAll } from './kept-name.ts';

const KINDS: readonly KeptKind[] = [
  'answer',
  'context',
  'continued',
  'sound',
  'item',
  'thought',
  'seal',
  'container',
  'claude-container',
];
const caller = { userId: 1, appId: null };
const other = { userId: 2, appId: null };
let memory: Parameters<typeof keep>[3];
beforeEach(() => {
  memory = { answers: memoryOneTimeStore(), pieces: memoryOneTimeStore() };
});
async function known(kind: KeptKind, asker: Asker, ids: readonly string[]): Promise<string[]> {
  const all = await recallAll(kind, asker, ids, { memory, read: (kept) => kept });
  return ids.filter((id) => all.get(id) !== undefined);
}

const { keptOfUser } = limits;
afterEach(() => {
  Object.assign(limits, { keptOfUser });
});

it.each(KINDS)('who makes many of kind %s pushes out his own, and nobody else’s', async (kind) => {
  Object.assign(limits, { keptOfUser: 10 });
  await keep(kind, caller, ['mine', 'kept'], memory);
  for (let n = 0; n < 30; n++) await keep(kind, other, [`his ${n}`, 'kept'], memory);
  expect(await known(kind, caller, ['mine'])).toEqual(['mine']);
  expect(await known(kind, other, ['his 19', 'his 20', 'his 29'])).toEqual(['his 20', 'his 29']);
});

it('is known for nobody else, for no other application and as nothing else', async () => {
  await keep('answer', caller, ['mine', 'kept'], memory);
  for (const asker of [other, { userId: 1, appId: 6 }])
    expect(await known('answer', asker, ['mine'])).toEqual([]);
  expect(await known('sound', caller, ['mine'])).toEqual([]);
});

it('is not known by a longer name than any upstream gives', async () => {
  const name = 'x'.repeat(ID_MAX + 1);
  // As LiteLLM seals in it who gave the answer.
  const longest = `resp_${'x'.repeat(500)}`;
  for (const id of [name, longest]) await keep('answer', caller, [id, 'kept'], memory);
  expect(await known('answer', caller, [name, longest])).toEqual([longest]);
});
