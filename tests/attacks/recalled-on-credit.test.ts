/**
 * What earlier answers thought and found, on credit: a request names them by ids alone, which weigh nothing, and the
 * service reads all that it keeps by them. What is not held for that when a call goes up is given away.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let model = '';
let offBefore = 0;
beforeAll(async () => {
  const opened = await openAttack({ gpt5: { type: 1, named: 'gpt-5' } });
  t = opened.t;
  model = opened.models.gpt5 ?? '';
});
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});
afterAll(() => t.close());

const THOUGHT = 60_000;
const QUESTION = { role: 'user', content: 'Think long, then call f.' };
const TOOLS = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }];
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' };
const RESULT = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
const reasoning = (id: string, more: JsonObject = {}): JsonObject => ({
  type: 'reasoning',
  id,
  summary: [],
  ...more,
});
const used = (tokens: number): JsonObject => ({
  input_tokens: 60,
  output_tokens: tokens + 20,
  output_tokens_details: { reasoning_tokens: tokens },
});

const references = (items: readonly JsonObject[]): JsonObject[] =>
  items.map(({ id = null }) => ({ type: 'item_reference', id }));

let ids = 0;
/** An answer that has thought for so long and called a function, whole or as a stream; what it said. */
async function think(
  tokens: number,
  { stream = false, pieces = 1, found = [] as readonly JsonObject[], more = {} as JsonObject } = {},
) {
  const thoughts = Array.from({ length: pieces }, () => reasoning(`rs_${ids++}`));
  const before = [...thoughts, ...found, CALL];
  const answer = { ...responsesAnswer(used(tokens), { id: `resp_${ids++}`, before }), ...more };
  const events = [
    { type: 'response.created', response: { ...answer, output: [], usage: null, status: 'in_progress' } },
    ...thoughts.map((item, n) => ({ type: 'response.output_item.done', output_index: n, item })),
    { type: 'response.output_text.delta', item_id: 'm', output_index: pieces, delta: 'ok' },
    // Some services say nothing twice.
    { type: 'response.completed', response: { ...answer, output: [] } },
  ];
  await t.relay.setBalance(100_000_000);
  t.answers(() => (stream ? eventStream(events) : Response.json(answer)));
  const server = { type: 'mcp', server_label: 'a', server_url: 'https://a.example' };
  const tools = found.length > 0 ? [...TOOLS, server] : TOOLS;
  const body = { model, input: [QUESTION], tools, max_output_tokens: 100_000, stream };
  const got = await t.post('/v1/responses', body);
  expect(got.status).toBe(200);
  await got.text();
  return thoughts;
}

/** Quota units that so many tokens of prompt cost, and a few for the rest. */
const INPUT = 1;

/** How many of so many calls at once go up with these items, of which the service reads so many tokens. */
async function next(items: readonly JsonObject[], read: number, balance: number, calls = 12, named = model) {
  await t.relay.setBalance(balance);
  const body = { input: [QUESTION, ...items, CALL, RESULT], tools: TOOLS, max_output_tokens: 16 };
  const answer = () => responsesAnswer({ input_tokens: read + 100, output_tokens: 10 });
  const ran = await storm(t, { model: named, path: '/v1/responses', body, answer }, calls);
  expect(await t.relay.writtenOff()).toBe(offBefore);
  return ran;
}

describe.each([
  ['whole', {}],
  ['as a stream', { stream: true }],
  ['in several pieces', { pieces: 3 }],
])('what an answer thought that came %s', (_, how) => {
  it('is not read on credit by its id, and is paid for in full', async () => {
    const thoughts = await think(THOUGHT, how);
    expect(await next(thoughts, THOUGHT, THOUGHT / 2)).toBe(0);
    expect(await next(thoughts, THOUGHT, 4 * THOUGHT)).toBeWithin(1, 5);
    await t.relay.setBalance(1_000_000);
    await next(thoughts, THOUGHT, 1_000_000, 1);
    const row = await t.row();
    expect([row.prompt_tokens, row.quota]).toEqual([THOUGHT + 100, expect.any(Number)]);
    expect(row.quota).toBeGreaterThanOrEqual(INPUT * THOUGHT);
  });
});

describe.each([
  ['whole', {}],
  ['as a stream', { stream: true }],
  ['in several pieces', { pieces: 3 }],
])('an answer that came %s', (_, how) => {
  it('is not read on credit by references to its items, and is paid for in full', async () => {
    const items = references(await think(THOUGHT, how));
    expect(await next(items, THOUGHT, THOUGHT / 2)).toBe(0);
    expect(await next(items, THOUGHT, 4 * THOUGHT)).toBeWithin(1, 5);
    await t.relay.setBalance(1_000_000);
    await next(items, THOUGHT, 1_000_000, 1);
    const row = await t.row();
    expect([row.prompt_tokens, row.quota]).toEqual([THOUGHT + 100, expect.any(Number)]);
    expect(row.quota).toBeGreaterThanOrEqual(INPUT * THOUGHT);
  });
});

it('is held for each answer of which items are named, and as often as one of them is', async () => {
  const [first, second] = [references(await think(50_000)), references(await think(50_000))];
  expect(await next([...first, ...second], 100_000, 99_000)).toBe(0);
  expect(await next([...first, ...second], 100_000, 120_000, 1)).toBe(1);
  expect(await next([...first, ...first, ...first], 150_000, 149_000)).toBe(0);
  // Longer than a balance by far, and named in a few bytes.
  expect(await next(references(await think(300_000)), 300_000, 20_000)).toBe(0);
});

it('is held with what its tools have found, which was told as a part of what it has read', async () => {
  const found = { type: 'mcp_call', id: 'mcp_found', server_label: 'a', name: 'f', arguments: '{}' };
  const usage = { ...used(1_000), input_tokens: 200_000 };
  const items = references([...(await think(1_000, { found: [found], more: { usage } })), found]);
  for (const item of items) expect(await next([item], 200_000, 190_000)).toBe(0);
  expect(await next(items, 200_000, 250_000, 1)).toBe(1);
});

it.each([
  ['last', [500, 500, 500, 500, 500, 18_000, 18_000, 18_000]],
  ['first', [18_000, 18_000, 18_000, 500, 500, 500, 500, 500]],
  ['once', [300, 300, 300, 60_000]],
])('is held with whatever its searches have found, which were long %s', async (_, pages) => {
  const found = pages.map((__, n) => ({
    type: 'web_search_call',
    id: `ws_${ids}_${n}`,
    status: 'completed',
  }));
  let last = 100;
  let told = last;
  for (const page of pages) told += last += page;
  const usage = { ...used(100), input_tokens: told };
  const items = references([...(await think(100, { found, more: { usage } })), ...found]);
  expect(await next(items, last, 4 * last)).toBeWithin(0, 4);
  expect(await next(items, last, 12 * last)).toBeWithin(1, 12);
});

it('is held as a whole context for a model that may read it otherwise', async () => {
  const other = 'house-model';
  await t.model(1, { named: `${model}-and-${other}`, models: `${model},${other}`, priority: 1 });
  await t.price({ ModelRatio: { [other]: 1 }, CompletionRatio: { [other]: 2 } });
  const items = references(await think(1_000));
  expect(await next(items, 2_000, 100_000, 1)).toBe(1);
  expect(await next(items, 2_000, 100_000, 1, other)).toBe(0);
  expect(await next(items, 2_000, 5_000_000, 1, other)).toBe(1);
});

it('is held once for all pieces of an answer, and as often as one of them is named', async () => {
  const thoughts = await think(10_000, { pieces: 4 });
  expect(await next(thoughts, 10_000, 5 * 12_000)).toBeGreaterThanOrEqual(4);
  expect(await next([...thoughts, ...thoughts, ...thoughts], 30_000, 29_000)).toBe(0);
});

it('is held as a whole context where nobody remembers it', async () => {
  expect(await next([reasoning('rs_unknown')], 300_000, 399_000)).toBe(0);
  expect(await next([reasoning('rs_unknown')], 300_000, 900_000)).toBeWithin(1, 3);
});

it.each([true, false])(
  'is held for nothing where its service has told that it keeps none, stream %p',
  async (stream) => {
    const own = await think(5_000, { stream, more: { store: false } });
    expect(await next(own, 0, 40_000, 1)).toBe(1);
  },
);

it('lets the loops of agents run on a usual balance, kept by the service or sealed', async () => {
  const loop: JsonObject[] = [];
  for (let turn = 0; turn < 5; turn++) {
    loop.push(...(await think(2_000)), CALL, RESULT);
    expect(await next(loop, 2_000 * (turn + 1), 40_000, 1)).toBe(1);
  }
  const sealed = reasoning('rs_sealed', {
    encrypted_content: Buffer.alloc(3_000, 'Xy0-').toString('base64'),
  });
  expect(await next([sealed], 2_000, 40_000, 1)).toBe(1);
  // Made here, for another maker's: it does not go up.
  expect(
    await next([reasoning('rs_relay_1', { summary: [{ type: 'summary_text', text: 'So.' }] })], 0, 40_000, 1),
  ).toBe(1);
});

it.each([
  [
    'a search',
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    2_800,
  ],
  [
    'files',
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'], results: null },
    7_500,
  ],
  [
    'a program',
    { type: 'code_interpreter_call', id: 'ci_1', code: '1', container_id: null, outputs: null },
    2_800,
  ],
  ['a server', { type: 'mcp_call', id: 'mcp_1', server_label: 'a', name: 'f', arguments: '{}' }, 5_500],
  ['tools of a server', { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'a', tools: [] }, 49_000],
])('what %s found is not read on credit by its id', async (_, item, found) => {
  const items = Array.from({ length: 10 }, (__, n) => ({ ...item, id: `${item.id}${n}` }));
  expect(await next(items, 10 * found, 9 * found)).toBe(0);
  expect(await next(items, 10 * found, 30 * found)).toBeWithin(1, 4);
});

it('is looked for by one command once it is known that its caller may ask, and nobody else’s is', async () => {
  const { pieces } = t.relay.api.deps.relay;
  const [one, all] = [spyOn(pieces, 'get'), spyOn(pieces, 'getAll')];
  const named = (count: number) => Array.from({ length: count }, (_, n) => reasoning(`rs_${n}`));
  const asked = (of: string) => t.post('/v1/responses', { model: of, input: [QUESTION, ...named(2_000)] });
  const looks = () => [...one.mock.calls.map(([name]) => [name]), ...all.mock.calls.map(([names]) => names)];
  expect((await asked('no-such-model')).status).toBe(404);
  expect(looks()).toEqual([]);
  await (await asked(model)).text();
  expect(looks().length).toBe(1);
  const names = looks().flat();
  const strange = names.filter((name) => !name.startsWith(`thought:${t.relay.user.id}:0:rs_`));
  expect([new Set(names).size, strange]).toEqual([2_000, []]);
  for (const spy of [one, all]) spy.mockRestore();
});
