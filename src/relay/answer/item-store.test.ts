import { expect, it } from 'bun:test';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { listed, recallItems, rememberItems } from './item-store.ts';
import { keep } from './kept-name.ts';

const caller = { userId: 1, appId: 5 };
const log = { warn: () => undefined };
const answer = (id: string, tokens: number | null, channelId = 7) =>
  ({
    id,
    tokens,
    keptBy: { channelId, keyId: 9 },
    holds: 'text',
    reader: 'gpt-5',
    pictures: 0,
  }) as const;
const named = (...ids: (string | null)[]) => ids.map((id, n) => ({ id, at: `input[${n}]` }));
const LONG = 'x'.repeat(2_000);

async function memory() {
  const deps = { answers: memoryOneTimeStore(), pieces: memoryOneTimeStore(), log };
  await rememberItems(caller, { ids: ['rs:1', 'msg:1'] }, answer('resp:1', 70), deps);
  await rememberItems(caller, { ids: ['msg:2'] }, answer('resp:2', 40), deps);
  await rememberItems(caller, { ids: ['msg:3'] }, answer('resp:3', null), deps);
  // Of another account, which calls its answers alike.
  await rememberItems(caller, { ids: ['msg:4'] }, answer('resp:1', 20, 8), deps);
  await rememberItems(caller, { ids: [LONG] }, answer('resp:5', 10), deps);
  await keep('item', caller, ['msg:6', '7:9:text'], deps);
  return deps;
}

it.each<[what: string, ids: (string | null)[], tokens: (number | null)[], stranger: string | undefined]>([
  ['none', [], [], undefined],
  ['one of several of an answer', ['msg:1'], [70], undefined],
  ['all of an answer', ['rs:1', 'msg:1'], [70], undefined],
  ['one that is named twice', ['rs:1', 'msg:1', 'rs:1'], [140], undefined],
  ['those of several answers', ['rs:1', 'msg:2'], [70, 40], undefined],
  ['one of an answer of which nothing was told', ['msg:3', 'msg:3'], [null], undefined],
  ['those of two accounts', ['msg:1', 'msg:4'], [70, 20], undefined],
  ['one that nobody gave, beside others', ['msg:1', 'msg:9', 'msg:8'], [70], 'input[1]'],
  ['one without an id', [null, 'msg:1'], [70], 'input[0]'],
  ['one of an id that is too long', [LONG], [], 'input[0]'],
  ['one of which nothing can be read', ['msg:6'], [], 'input[0]'],
])('knows the answers of items: %s', async (_, ids, tokens, stranger) => {
  const known = await recallItems(caller, named(...ids), await memory());
  expect([known.answers.map((each) => each.tokens), known.stranger]).toEqual([tokens, stranger]);
});

it.each<[what: string, ids: string[], tokens: number[]]>([
  ['read all of what stands before it', ['msg:1', 'msg:2', 'ws:7', 'msg:7'], [0, 0, 500]],
  ['read it, and others came since', ['msg:1', 'msg:2', 'ws:7', 'msg:8'], [0, 0, 500, 30]],
  ['read other items of the same', ['rs:1', 'msg:2', 'ws:7'], [70, 40, 500]],
  ['read less', ['rs:1', 'msg:1', 'msg:2', 'ws:7'], [70, 40, 500]],
  ['read more', ['msg:2', 'ws:7'], [40, 500]],
  ['read it, and is named again', ['msg:1', 'msg:2', 'ws:7', 'msg:1'], [140, 0, 500]],
  ['read it and is named twice', ['msg:1', 'msg:2', 'ws:7', 'ws:7'], [0, 0, 1_000]],
])('counts what the last answer had read of others once: it %s', async (_, ids, tokens) => {
  const deps = await memory();
  const reads = listed(named('msg:1', 'msg:2'));
  await rememberItems(caller, { ids: ['ws:7', 'msg:7'] }, { ...answer('resp:7', 500), reads }, deps);
  await rememberItems(caller, { ids: ['msg:8'] }, answer('resp:8', 30), deps);
  const { answers } = await recallItems(caller, named(...ids), deps);
  expect(answers.map((each) => each.tokens)).toEqual(tokens);
});

it.each<[what: string, ids: string[], least: number | undefined]>([
  ['all of it and of what it had read', ['msg:2', 'rs:7', 'ws:7', 'msg:7'], 300],
  ['some of it twice', ['msg:2', 'rs:7', 'ws:7', 'ws:7'], undefined],
  ['less of it', ['msg:2', 'ws:7', 'msg:7'], undefined],
  ['less of what it had read', ['rs:7', 'ws:7', 'msg:7'], undefined],
])('is certain of how much is read of an answer at least where a call names %s', async (_, ids, least) => {
  const deps = await memory();
  const of = { ...answer('resp:7', 500), least: 300, reads: listed(named('msg:2')) };
  await rememberItems(caller, { ids: ['rs:7', 'ws:7', 'msg:7'] }, of, deps);
  const { answers } = await recallItems(caller, named(...ids), deps);
  expect(answers.find(({ id }) => id === 'resp:7')?.least).toBe(least);
});

it('knows items that were remembered in the words of before', async () => {
  const deps = await memory();
  const before = { ...answer('resp:7', 500), reads: { items: 'x', tokens: 600 } };
  await keep('item', caller, ['ws:7', JSON.stringify(before)], deps);
  const known = await recallItems(caller, named('ws:7'), deps);
  expect([known.answers.map((each) => each.tokens), known.stranger]).toEqual([[500], undefined]);
});

it('tells where the first item of an answer is named, and who has it', async () => {
  const { answers } = await recallItems(caller, named('msg:2', 'rs:1', 'msg:1'), await memory());
  expect(answers).toEqual([
    { ...answer('resp:2', 40), at: 'input[0]' },
    { ...answer('resp:1', 70), at: 'input[1]' },
  ]);
});

it('knows them for nobody else, and for no other application', async () => {
  const deps = await memory();
  for (const other of [
    { userId: 1, appId: null },
    { userId: 1, appId: 6 },
    { userId: 2, appId: 5 },
  ])
    expect(await recallItems(other, named('msg:1'), deps)).toEqual({ answers: [], stranger: 'input[0]' });
});

it('lets an answer be given whose items cannot be remembered', async () => {
  const warned: string[] = [];
  const away = { ...memoryOneTimeStore(), put: () => Promise.reject(new Error('away')) };
  const deps = { answers: away, pieces: away, log: { warn: (event: string) => warned.push(event) } };
  await rememberItems(caller, { ids: ['msg:1'] }, answer('resp:1', 70), deps);
  expect(warned).toEqual(['relay.keep_items']);
});
