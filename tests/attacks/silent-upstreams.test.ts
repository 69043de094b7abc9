/**
 * Most upstreams fetch what a call names by address themselves, before they answer a byte, and some wait for it without end.
 * Who named a host that says nothing held a place among calls for half an hour, whether or not he was still there, and paid
 * nothing.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import type { TestUser } from '../support/api.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

const PLACES = 4;
const BALANCE = 100_000_000;
const STILL_MS = 20;
const SUPPLIER = 'Gateway';
const ADDRESS = 'https://silent.example/1.png';
const MODELS = ['seeing', 'heads', 'tells', 'lists', 'speaks', 'other'];
/** It searches in any case, and no answer tells how often. */
const DEEP = 'sonar-deep-research';
/** Their makers' tools run code: at OpenAI's own address, and as each maker's wire has it. */
const OPENAIS = 'gpt-5-nano';
const CLAUDE = 'claude-sonnet-4-6';
const GEMINI = 'gemini-3-pro';
const { upstreamStillMs, holdHeadersMs } = limits;

let t: TestRelay;
let supplierId: number;
/** Calls that are not answered until they are refused, and how many there were. */
const waiting = new Set<() => void>();
let asked = 0;
/** A gateway that waits for a host: it answers calls of another model alone. */
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  idleTimeout: 0,
  async fetch(request) {
    const said = await request.text();
    if (said.includes('"other"')) {
      return Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
      });
    }
    asked++;
    if (said.includes('"heads"')) return beginning(': at work\n\n', request.signal);
    if (said.includes('"tells"')) return beginning(USAGE, request.signal);
    if (said.includes('"lists"')) return beginning(LIST, request.signal);
    if (said.includes(`"${OPENAIS}"`) && said.includes('"stream":true'))
      return beginning(RUNNING, request.signal);
    if (said.includes('"speaks"')) return beginning(WORD, request.signal);
    if (said.includes('say what it takes')) return beginning(TOLD, request.signal);
    const { promise, resolve } = Promise.withResolvers<Response>();
    const refuse = () => resolve(Response.json({ error: { message: 'no such picture' } }, { status: 400 }));
    waiting.add(refuse);
    request.signal.addEventListener('abort', () => waiting.delete(refuse));
    return promise.finally(() => waiting.delete(refuse));
  },
});

const event = (type: string, more: JsonObject) => `data: ${JSON.stringify({ type, ...more })}\n\n`;
/** OpenAI shows a list of tools before it asks for it. */
const LIST = [
  event('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } }),
  event('response.output_item.added', {
    output_index: 0,
    item: { id: 'mcpl_1', type: 'mcp_list_tools', server_label: 'mine', tools: [] },
  }),
].join('');
/** Its model has spoken, and its interpreter runs. */
const RUNNING = [
  event('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } }),
  event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'ok' }),
  event('response.output_item.added', {
    output_index: 1,
    item: { id: 'ci_1', type: 'code_interpreter_call', status: 'in_progress', code: '', container_id: 'c_1' },
  }),
  event('response.code_interpreter_call.interpreting', { output_index: 1, item_id: 'ci_1' }),
].join('');
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 900, completion_tokens: 90, total_tokens: 990 } })}\n\n`;
const WORD = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'ok' } }] })}\n\n`;
const TAKES = { prompt_tokens: 700, completion_tokens: 70, total_tokens: 770 };
const TOLD = `data: ${JSON.stringify({ choices: [], usage: TAKES })}\n\n`;

/** As a stream tells it, on each wire of its callers here. */
const REFUSAL = event('error', { error: { code: '400', message: 'no such picture' } });

/**
 * A stream that says so much, and no more until it is refused. One that only ended would be its channel's failure, and of a
 * channel that fails again and again tests of the gateway's own ask, in the middle of the next test.
 */
function beginning(said: string, signal: AbortSignal): Response {
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const end = () => {
    waiting.delete(end);
    void writer.write(new TextEncoder().encode(REFUSAL)).catch(() => undefined);
    void writer.close().catch(() => undefined);
  };
  waiting.add(end);
  signal.addEventListener('abort', end);
  void writer.write(new TextEncoder().encode(said)).catch(() => undefined);
  return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
}

beforeAll(async () => {
  t = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  // Two channels, of which the second is not to be asked as well.
  for (const name of ['one', 'two']) {
    await t.addChannel({ name, type: 1, base_url: upstream.url.origin, models: [...MODELS, DEEP].join() });
  }
  const proxy = JSON.stringify({ proxy: upstream.url.origin });
  await t.addChannel({ type: 1, base_url: 'http://api.openai.com', setting: proxy, models: OPENAIS });
  await t.addChannel({ type: 14, base_url: upstream.url.origin, models: CLAUDE });
  await t.addChannel({ type: 24, base_url: upstream.url.origin, models: GEMINI });
  await t.set({
    ModelRatio: Object.fromEntries([...MODELS, DEEP, OPENAIS, CLAUDE, GEMINI].map((model) => [model, 1])),
    VideoPrice: { seeing: { per_second: 0.01 } },
    ToolServices: { fetcher: { url: `${upstream.url.origin}/mcp` } },
    'request_quota.default': 5,
  });
  const given = { name: SUPPLIER, type: 47, base_url: `${upstream.url.origin}/v1` };
  supplierId = (await t.root.post('/api/supplier/admin/', given)).data.id;
});
beforeEach(() => {
  Object.assign(limits, { upstreamStillMs: STILL_MS });
  t.api.deps.relay.calls = new CallGate(PLACES);
  asked = 0;
});
afterEach(async () => {
  Object.assign(limits, { upstreamStillMs, holdHeadersMs });
  await until('all places are free', () => {
    for (const refuse of waiting) refuse();
    return open() === 0 && waiting.size === 0;
  });
});
afterAll(async () => {
  await t.close();
  await upstream.stop(true);
});

interface Ask {
  path?: string;
  body: JsonObject;
}

const chat = (content: JsonObject | string, more: JsonObject = {}): Ask => ({
  body: { messages: [{ role: 'user', content: typeof content === 'string' ? content : [content] }], ...more },
});
const PICTURE = { type: 'image_url', image_url: { url: ADDRESS } };
const SERVER = { type: 'mcp', server_label: 'mine', server_url: ADDRESS, require_approval: 'never' };

interface Who {
  user: TestUser;
  key: string;
  ip: string;
}
let networks = 0;
const people = () => Promise.all([somebody(), somebody(), somebody()] as const);
async function somebody(): Promise<Who> {
  const user = await t.api.createUser({ quota: BALANCE });
  const own = { supplier_id: supplierId, key: `sk-of-${user.id}-0123456789abc`, models: ['seeing'] };
  await (await t.api.as(user)).post('/api/user/custom-models/conf', own);
  return { user, key: await t.addToken({}, user), ip: `198.51.100.${++networks}` };
}
const ask = ({ key, ip }: Who, { path = '/v1/chat/completions', body }: Ask, signal?: AbortSignal) =>
  fetch(`${t.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ model: 'seeing', ...body }),
    signal: signal ?? null,
  });
/** What comes, though it breaks off. */
async function read({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of body ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    // It ends with an error.
  }
  return text;
}
const pays = async (who: Who) => (await ask(who, chat('words', { model: 'other' }))).status;
const paidBy = async ({ user }: Who) => {
  const { quota, reserved } = await t.account(user);
  return BALANCE - quota - reserved;
};
const open = () => t.api.deps.relay.calls.open;

/** More than any prompt here, and less than what tools may read. */
const LITTLE = 1_000;
/** A cent, by the usual price. */
const SEARCH = 5_000;
/** Three cents, which OpenAI takes as it makes one, before a word is said. */
const CONTAINER = 15_000;
const WITH_SERVER: Ask = {
  path: '/v1/responses',
  body: { input: 'hi', tools: [SERVER], max_output_tokens: 50 },
};
const WAYS: [string, Ask][] = [
  ['a chat with a picture', chat(PICTURE)],
  ['a stream with a picture', chat(PICTURE, { stream: true })],
  ['embeddings of a picture', { path: '/v1/embeddings', body: { input: [ADDRESS] } }],
  [
    'a picture to be drawn again',
    { path: '/v1/images/generations', body: { prompt: 'a cat', image: ADDRESS } },
  ],
  [
    'a film of a picture',
    { path: '/v1/videos', body: { prompt: 'a cat', input_reference: { image_url: ADDRESS } } },
  ],
  ['what a gateway fetches by a key of his own', chat(PICTURE, { model: `${SUPPLIER}/seeing` })],
];

/** Calls of one that are under way, and how those have ended that did. */
function callsOf(way: Ask) {
  const ends: number[] = [];
  return {
    ends,
    begin: (who: Who) => void ask(who, way).then(({ status }) => ends.push(status)),
  };
}

/** Takes all places: one has all that he may. */
async function fill(begin: () => void, beginAnothers: () => void) {
  for (let n = 1; n < PLACES; n++) begin();
  await until('one has his share', () => waiting.size === PLACES - 1);
  beginAnothers();
  await until('all places are taken', () => waiting.size === PLACES);
}

describe.each(WAYS)('who waits for what he has named: %s', (_, way) => {
  it('gives his place to who finds none, and pays nothing', async () => {
    const [his, another, payer] = await people();
    const { ends, begin } = callsOf(way);
    await fill(
      () => begin(his),
      () => begin(another),
    );
    await until('a paid call is answered', async () => (await pays(payer)) === 200);
    // It is one of his who has most, he is told to come again, and nobody else was asked.
    await until('he and his upstream hear of it', () => ends.length > 0 && waiting.size < PLACES);
    expect([ends, asked]).toEqual([[503], PLACES]);
    expect([await paidBy(his), await paidBy(another)]).toEqual([0, 0]);
    // There is a place again, so that the others keep theirs.
    await until('there is a place again', () => open() === PLACES - 1);
    expect(await pays(payer)).toBe(200);
    expect([waiting.size, ends]).toEqual([PLACES - 1, [503]]);
  });
});

it.each([
  ['that it works', 'before it is begun', 'heads', holdHeadersMs, 503],
  ['that it works', 'behind its head', 'heads', 1, 200],
  ['what it takes', 'before it is begun', 'tells', holdHeadersMs, 503],
  ['what it takes', 'behind its head', 'tells', 1, 200],
])('a stream that says nothing but %s gives its place %s, and costs nothing', async (...of) => {
  const [, , model, holdMs, status] = of;
  Object.assign(limits, { holdHeadersMs: holdMs });
  const [his, another, payer] = await people();
  const ends: [number, string][] = [];
  const begin = async (who: Who) => {
    const answer = await ask(who, chat(PICTURE, { model, stream: true }));
    ends.push([answer.status, await read(answer)]);
  };
  await fill(
    () => void begin(his),
    () => void begin(another),
  );
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('he and his upstream hear of it', () => ends.length > 0 && waiting.size < PLACES);
  expect([ends, asked]).toEqual([[[status, expect.stringContaining('OVERLOADED')]], PLACES]);
  expect([await paidBy(his), await paidBy(another)]).toEqual([0, 0]);
});

/** His tools' server has got all of the answer perhaps. */
describe.each([
  ['a whole answer', 'seeing', false, holdHeadersMs],
  ['a stream before it is begun', 'heads', true, holdHeadersMs],
  ['a stream behind its head', 'heads', true, 1],
  ['a stream behind the list of its tools', 'lists', true, holdHeadersMs],
])('who waits for tools that his upstream runs: %s', (_, model, stream, holdMs) => {
  const way: Ask = { ...WITH_SERVER, body: { ...WITH_SERVER.body, model, stream } };
  /** What he and another have paid once the place of one of his is another's. */
  const paidFor = async (needs: (his: Who, payer: Who) => Who, before?: (his: Who) => void) => {
    Object.assign(limits, { holdHeadersMs: holdMs });
    const [his, another, payer] = await people();
    before?.(his);
    const ends: string[] = [];
    const begin = async (who: Who) => void ends.push(await read(await ask(who, way)));
    await fill(
      () => void begin(his),
      () => void begin(another),
    );
    await until('a paid call is answered', async () => (await pays(needs(his, payer))) === 200);
    await until('he and his upstream hear of it', () => ends.length > 0 && waiting.size < PLACES);
    expect([ends, asked]).toEqual([[expect.stringContaining('OVERLOADED')], PLACES]);
    await until('it is charged', async () => (await paidBy(his)) > 4);
    return [await paidBy(his), await paidBy(another)] as const;
  };

  it('pays what is held for it where his own share is full', async () => {
    const [his, anothers] = await paidFor((he) => he);
    expect([his > LITTLE, anothers]).toEqual([true, 0]);
  });

  it('pays what is held for it where he has more than a few', async () => {
    const [his, anothers] = await paidFor((_he, payer) => payer);
    expect([his > LITTLE, anothers]).toEqual([true, 0]);
  });
});

it('what searches in any case, however often, pays for as many as are held', async () => {
  const [his, another, payer] = await people();
  const { ends, begin } = callsOf(chat(`read ${ADDRESS}`, { model: DEEP, max_tokens: 50 }));
  await fill(
    () => begin(his),
    () => begin(another),
  );
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('it is charged', async () => ends.length > 0 && (await paidBy(his)) > 4);
  expect(Math.floor((await paidBy(his)) / SEARCH)).toBeGreaterThanOrEqual(10);
  expect(await paidBy(another)).toBe(0);
});

/**
 * Whoever filled the house for half a second had honest calls with tools charged as held. And who is his own stranger had his
 * own end for little, though his tools had all of their answers by then.
 */
it.each([
  ['a whole answer', 'seeing', false],
  ['a stream', 'lists', true],
])('who has few calls with tools keeps them in a full house: %s', async (_, model, stream) => {
  const [filler, honest, payer] = await people();
  const filling = callsOf(chat('words'));
  const pictures = callsOf(chat(PICTURE));
  const ends: string[] = [];
  const way: Ask = { ...WITH_SERVER, body: { ...WITH_SERVER.body, model, stream } };
  void ask(honest, way).then(async (answer) => void ends.push(await read(answer)));
  for (let n = 2; n < PLACES; n++) filling.begin(filler);
  await until('a place is left', () => waiting.size === PLACES - 1);
  pictures.begin(await somebody());
  await until('all places are taken', () => waiting.size === PLACES);
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('it is the picture', () => pictures.ends.length > 0 && waiting.size < PLACES);
  filling.begin(await somebody());
  await until('all places are taken', () => waiting.size === PLACES);
  // His has waited for longer than the picture.
  expect(await pays(payer)).toBe(503);
  expect([pictures.ends, ends, filling.ends, await paidBy(honest)]).toEqual([[503], [], [], 0]);
  // By his own next one it ends, and is charged.
  expect(await pays(honest)).toBe(200);
  await until('it is charged', async () => (await paidBy(honest)) > LITTLE);
  expect(ends).toEqual([expect.stringContaining('OVERLOADED')]);
});

const SLEEP = 'run time.sleep(1500)';
/** With what such a call costs as it begins, beside all that is held for it. */
const CODE: [string, number, Ask][] = [
  ...[true, false].map((stream): [string, number, Ask] => [
    `an interpreter, ${stream ? 'behind the first words of its stream' : 'for a whole answer'}`,
    CONTAINER,
    {
      path: '/v1/responses',
      body: {
        ...{ model: OPENAIS, input: SLEEP, stream, max_output_tokens: 50 },
        tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      },
    },
  ]),
  [
    'a shell',
    CONTAINER,
    {
      path: '/v1/responses',
      body: {
        ...{ model: OPENAIS, input: SLEEP, max_output_tokens: 50 },
        tools: [{ type: 'shell', environment: { type: 'container_auto' } }],
      },
    },
  ],
  ...['code_execution_20250825', 'web_search_20260209'].map((type): [string, number, Ask] => [
    `what Claude runs (${type})`,
    0,
    {
      path: '/v1/messages',
      body: {
        ...{ model: CLAUDE, max_tokens: 50, messages: [{ role: 'user', content: SLEEP }] },
        tools: [{ type, name: type.replace(/_\d+$/, '') }],
      },
    },
  ]),
  [
    'what Gemini runs',
    0,
    {
      path: `/v1beta/models/${GEMINI}:generateContent`,
      body: {
        contents: [{ role: 'user', parts: [{ text: SLEEP }] }],
        ...{ generationConfig: { maxOutputTokens: 50 }, tools: [{ codeExecution: {} }] },
      },
    },
  ],
];

/** Code can wait by itself, as long as whoever had it written likes. */
it.each(CODE)(
  '%s gives its place where its caller has more than a few, and pays as held',
  async (_, least, way) => {
    const [his, another, payer] = await people();
    const ends: string[] = [];
    const begin = async (who: Who) => void ends.push(await read(await ask(who, way)));
    await fill(
      () => void begin(his),
      () => void begin(another),
    );
    await until('a paid call is answered', async () => (await pays(payer)) === 200);
    await until('he and his upstream hear of it', () => ends.length > 0 && waiting.size < PLACES);
    expect([ends, asked]).toEqual([[expect.stringContaining('OVERLOADED')], PLACES]);
    await until('it is charged', async () => (await paidBy(his)) > least + LITTLE);
    expect(await paidBy(another)).toBe(0);
  },
);

it('a stream that has begun to speak of a picture has had it, and keeps its place until its caller leaves', async () => {
  const [his, another, payer] = await people();
  const leaving = new AbortController();
  const streamed = { stream: true };
  const speaks = chat(PICTURE, { model: 'speaks', ...streamed });
  const { ends, begin } = callsOf(chat(PICTURE, streamed));
  await fill(
    () => void ask(his, speaks, leaving.signal).then(read, () => undefined),
    () => begin(another),
  );
  // Not one of his, who has most of them and for longer.
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('another hears of it', () => ends.length > 0);
  expect(waiting.size).toBe(PLACES - 1);
  begin(another);
  leaving.abort();
  await until('all places are taken', () => waiting.size === PLACES);
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('one of those that were left is charged', async () => (await paidBy(his)) > 0);
  expect(ends).toEqual([503]);
});

it.each([
  { url: ADDRESS },
  { url: 'silent.example/1.png' },
  { query: 'read it, at silent.example' },
  { parameters: { url: ADDRESS } },
])('a tool that does not answer gives his place, too, whatever it was told: %j', async (args) => {
  const [his, another, payer] = await people();
  const params = { name: 'fetch', arguments: args };
  const { ends, begin } = callsOf({
    path: '/mcp/fetcher',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  });
  await fill(
    () => begin(his),
    () => begin(another),
  );
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('he and the service hear of it', () => ends.length > 0 && waiting.size < PLACES);
  expect([ends, await paidBy(his)]).toEqual([[503], 0]);
});

it.each(['/v1/models', '/v1/videos', '/v1/dashboard/billing/usage', '/api/log/token'])(
  'nobody gives his place for what is read here: %s',
  async (path) => {
    const [his, another, reader] = await people();
    const { ends, begin } = callsOf(chat(PICTURE));
    await fill(
      () => begin(his),
      () => begin(another),
    );
    for (const { key, ip } of [reader, his]) {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': ip };
      expect((await fetch(`${t.base}${path}`, { headers })).status).toBe(200);
    }
    expect([open(), waiting.size, ends]).toEqual([PLACES, PLACES, []]);
    // For a call one does.
    await until('a paid call is answered', async () => (await pays(reader)) === 200);
    await until('he hears of it', () => ends.length > 0);
  },
);

it('a whole answer whose caller has left gives its place, whatever he named, and its prompt is charged', async () => {
  const [his, another, payer] = await people();
  const leaving = new AbortController();
  const stays = callsOf(chat('words'));
  await fill(
    () => void ask(his, chat('words'), leaving.signal).catch(() => undefined),
    () => stays.begin(another),
  );
  expect(await pays(payer)).toBe(503);
  leaving.abort();
  await until('a paid call is answered', async () => (await pays(payer)) === 200);
  await until('its upstream hears of it', () => waiting.size < PLACES);
  await until('it is charged', async () => (await paidBy(his)) > 0);
  const [row] = (await t.logs()).filter(({ model_name }) => model_name === 'seeing').slice(-1);
  expect(row).toMatchObject({
    completion_tokens: 0,
    other: { prompt_only: true, stream_end: 'client_gone' },
  });
  // Who is there, and has named nothing, waits for as long as it takes.
  expect([stays.ends, asked]).toEqual([[], PLACES]);
});
