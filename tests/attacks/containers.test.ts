/**
 * OpenAI's containers, which it makes for whoever asks for one and bills for twenty minutes each: of several sizes, used or
 * not, gone on in by those who come back, and known to everybody who shares the account.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { openAttack, released, storm } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

const PATH = '/v1/responses';
const USAGE = { input_tokens: 60, output_tokens: 20 };
/** Units of one of a gigabyte, at $0.03. */
const ONE = 15_000;
const SIZES = { '1g': 1, '4g': 4, '16g': 16, '64g': 64 };

let t: Operations;
/** At OpenAI's address, with two keys; at Azure's; at an operator's; and at OpenAI's by others, of which one is shared. */
const models = {
  openai: 'gpt-5-mini',
  azure: 'gpt-5',
  reseller: 'gpt-5-nano',
  other: 'gpt-5.1',
  shared: 'gpt-5.2',
};
const FREE = Object.fromEntries(Object.values(models).map((name) => [name, 0]));
let stranger: string;
beforeAll(async () => {
  ({ t } = await openAttack({ reseller: { type: 1, named: models.reseller } }));
  const setting = JSON.stringify({ proxy: t.base });
  const openai = { base_url: 'http://api.openai.com', setting };
  await t.model(1, { named: models.openai, key: 'sk-a\nsk-b', multi_key_mode: 'random', ...openai });
  await t.model(1, { named: models.other, ...openai });
  const sharing = JSON.stringify({ proxy: t.base, shared_context: true });
  await t.model(1, { named: models.shared, ...openai, setting: sharing });
  await t.model(3, { named: models.azure, base_url: 'http://x.openai.azure.com', setting });
  await t.price({ ModelRatio: FREE });
  stranger = await t.relay.addToken({}, await t.relay.api.createUser({ quota: 50_000_000 }));
});
afterAll(() => t.close());
beforeEach(() => t.relay.setBalance(50_000_000));

const { now } = Date;
/** So many minutes later, as far as anybody asks. */
const later = (minutes: number) => spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
afterEach(() => void jest.restoreAllMocks());

const interpreter = (memory_limit = '1g'): JsonObject => ({
  type: 'code_interpreter',
  container: { type: 'auto', memory_limit },
});
const shell = (memory_limit = '1g'): JsonObject => ({
  type: 'shell',
  environment: { type: 'container_auto', memory_limit },
});
const inside = (id: string): JsonObject => ({ type: 'code_interpreter', container: id });
const reference = (container_id: string): JsonObject => ({ type: 'container_reference', container_id });
const ran = (container_id: string): JsonObject => ({
  type: 'code_interpreter_call',
  id: `ci_${container_id}`,
  status: 'completed',
  container_id,
  code: '1',
  outputs: null,
});
const ranInShell = (id: string): JsonObject => ({
  status: 'completed',
  type: 'shell_call',
  id: `sh_${id}`,
  environment: reference(id),
});
const SAID = { role: 'user', content: 'And now?' };

let ids = 0;
const fresh = (): string => `cntr_${++ids}`;

interface Asked extends JsonObject {
  tools?: JsonObject[];
}
interface Turn {
  model?: keyof typeof models;
  key?: string;
  /** Calls in the answer. */
  before?: JsonObject[];
  stream?: boolean;
  /** It is with its upstream. */
  whenAsked?: () => void;
  /** It cannot open this seal. */
  refuses?: string;
}

/** It had begun, and tells nothing. */
const FAILED: JsonObject = {
  ...responsesAnswer(USAGE),
  output: [],
  usage: null,
  status: 'failed',
  error: { message: 'no' },
};

const UNOPENED = () =>
  Response.json({ error: { message: 'no', code: 'invalid_encrypted_content' } }, { status: 400 });
const sealed = (encrypted_content: string): JsonObject => ({
  type: 'reasoning',
  id: `rs_${encrypted_content}`,
  summary: [],
  encrypted_content,
});

const eventsOf = (answer: JsonObject, before: JsonObject[]): JsonObject[] => [
  { type: 'response.created', response: { id: answer.id ?? '', status: 'in_progress', output: [] } },
  ...before.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
  { type: 'response.output_text.delta', output_index: before.length, delta: 'ok' },
  { type: 'response.completed', response: answer },
];

/** One answer, which the upstream keeps by its id. */
async function turn(
  body: Asked,
  { model = 'openai', key, before = [], stream = false, whenAsked, refuses }: Turn = {},
) {
  const id = `resp_${++ids}`;
  const answer = responsesAnswer(USAGE, { id, before });
  t.answers((seen) => {
    whenAsked?.();
    if (refuses && JSON.stringify(seen.body).includes(refuses)) return UNOPENED();
    return stream ? eventStream(eventsOf(answer, before)) : Response.json(answer);
  });
  const asked = { model: models[model], stream, input: [SAID], max_output_tokens: 64, ...body };
  const got = await t.post(PATH, asked, key ? { authorization: `Bearer ${key}` } : {});
  const text = await got.text();
  if (got.status !== 200) return { id, status: got.status, text, paid: 0, uses: undefined };
  const { quota, other } = await t.row();
  return { id, status: 200, text, paid: quota / ONE, uses: other.tool_uses };
}
const paidFor = async (body: Asked, more: Turn = {}): Promise<number> => (await turn(body, more)).paid;

describe('a container that is made for a request', () => {
  it.each(Object.entries(SIZES))(
    'is paid for, whether or not anything runs in it: %s',
    async (limit, size) => {
      for (const stream of [false, true]) {
        for (const tool of [interpreter(limit), shell(limit)])
          expect(await paidFor({ tools: [tool], tool_choice: 'none' }, { stream })).toBe(size);
        const before = [ran(fresh()), ran(`cntr_${ids}`)];
        expect(await paidFor({ tools: [interpreter(limit)] }, { stream, before })).toBe(size);
      }
    },
  );

  it('is told in the row as any use', async () => {
    const { uses } = await turn({ tools: [interpreter('4g')] });
    expect(uses).toEqual([{ tool: 'code_interpreter_4g', count: 1, price: 120 }]);
  });

  it('is paid for as it is told at an operator’s address', async () => {
    expect(await paidFor({ tools: [interpreter()] }, { model: 'reseller' })).toBe(0);
    const before = [ran(fresh())];
    for (let n = 0; n < 2; n++)
      expect(await paidFor({ tools: [interpreter()] }, { model: 'reseller', before })).toBe(1);
  });

  it.each<[string, JsonObject[], number]>([
    ['of each kind', [interpreter('4g'), shell('16g')], 20],
    ['of the largest of a kind', [interpreter('4g'), interpreter('64g')], 64],
    ['not of the caller’s own machine', [{ type: 'shell', environment: { type: 'local' } }], 0],
    ['not of who names none', [{ type: 'shell' }], 0],
  ])('is one %s', async (_what, tools, size) => {
    expect(await paidFor({ tools })).toBe(size);
  });

  it('costs nothing where its upstream failed', async () => {
    const held = await t.relay.account();
    for (const status of [400, 429, 500]) {
      t.answers(() => Response.json({ error: { message: 'no' } }, { status }));
      const got = await t.post(PATH, { model: models.openai, input: 'x', tools: [interpreter('64g')] });
      expect(got.status).not.toBe(200);
      await got.text();
      await t.row();
    }
    expect((await t.relay.account()).quota).toBe(held.quota);
  });

  it.each([false, true])(
    'is paid for as the rest is that a failed answer tells, streamed %p',
    async (stream) => {
      const before = [
        ran(fresh()),
        { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search' } },
        { type: 'mcp_call', id: 'mcp', status: 'completed', name: 'save', arguments: '{}', output: 'ok' },
      ];
      const error = { code: 'context_length_exceeded', message: 'too long' };
      const failed = { ...responsesAnswer(USAGE, { before }), status: 'failed', error };
      const events = eventsOf(failed, before).slice(0, -1);
      const last = { type: 'response.failed', response: failed };
      t.answers(() => (stream ? eventStream([...events, last]) : Response.json(failed)));
      const held = await t.relay.account();
      const seen = t.seen.length;
      const tools = [interpreter('64g'), { type: 'web_search' }];
      const got = await t.post(PATH, { model: models.openai, stream, input: 'x', tools });
      expect(await got.text()).toContain('too long');
      expect(got.status).toBe(stream ? 200 : 400);
      await released(t);
      expect(held.quota - (await t.relay.account()).quota).toBe(64 * ONE + 5_000);
      expect(await t.row()).toMatchObject({ prompt_tokens: 60, completion_tokens: 20 });
      expect(t.seen).toHaveLength(seen + 1);
    },
  );

  const refused = (status: number, code: string) => () =>
    Response.json({ error: { message: 'no', code } }, { status });
  it.each<[string, number, (() => Response) | (() => Promise<Response>)]>([
    ['an answer that had begun', 64, () => Response.json(FAILED)],
    [
      'an answer that tells of the account',
      64,
      () => Response.json({ ...FAILED, error: { message: 'the account is out of credits' } }),
    ],
    [
      'a stream that had',
      64,
      () => eventStream([...eventsOf(FAILED, []).slice(0, 1), { type: 'response.failed', response: FAILED }]),
    ],
    ['a picture that is blocked', 64, refused(400, 'moderation_blocked')],
    ['a server of tools', 64, refused(424, 'http_error')],
    ['a request', 0, refused(400, 'invalid_value')],
  ])('is paid for where one fails that has made it: %s', async (what, size, answers) => {
    const held = await t.relay.account();
    const seen = t.seen.length;
    t.answers(answers);
    const body = { model: models.openai, input: 'x', stream: what.startsWith('a stream') };
    const got = await t.post(PATH, { ...body, tools: [interpreter('64g')] });
    expect(got.status).not.toBe(200);
    await got.text();
    await t.row();
    expect(held.quota - (await t.relay.account()).quota).toBe(size * ONE);
    expect(t.seen).toHaveLength(seen + 1);
    if (what.endsWith('account')) return;
    // Without a container it costs nothing.
    const other = await t.post(PATH, { ...body, tools: [{ type: 'web_search' }] });
    await other.text();
    await t.row();
    expect(held.quota - (await t.relay.account()).quota).toBe(size * ONE);
  });

  it('says nothing of its channel where a server of its caller’s tools is down', async () => {
    const { breakers } = t.relay.api.deps.relay;
    const before = breakers.openCount;
    t.answers(refused(424, 'http_error'));
    const mcp = { type: 'mcp', server_label: 'mine', server_url: 'https://mine.example/mcp' };
    for (const tools of [[mcp], [mcp, interpreter()]]) {
      for (let n = 0; n < 5; n++)
        await (await t.post(PATH, { model: models.other, input: 'x', tools })).text();
      expect(breakers.openCount).toBe(before);
    }
  });

  it.each<[string, JsonObject, number]>([
    ['one of its own', interpreter('64g'), 64],
    ['none', { type: 'web_search' }, 0],
  ])(
    'is paid for where a stream fails that was given out for its long silence: %s',
    async (_what, tool, size) => {
      const { holdHeadersMs } = limits;
      Object.assign(limits, { holdHeadersMs: 1 });
      try {
        const held = await t.relay.account();
        const { readable, writable } = new TransformStream<Uint8Array>();
        const writer = writable.getWriter();
        const [created, failed] = [
          ...eventsOf(FAILED, []).slice(0, 1),
          { type: 'response.failed', response: FAILED },
        ].map((event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        t.answers(() => new Response(readable, { headers: { 'content-type': 'text/event-stream' } }));
        void writer.write(created);
        const got = await t.post(PATH, { model: models.openai, input: 'x', stream: true, tools: [tool] });
        expect(got.status).toBe(200);
        void writer.write(failed);
        void writer.close();
        expect(await got.text()).toContain('failed: no');
        await t.row();
        expect(held.quota - (await t.relay.account()).quota).toBe(size * ONE);
      } finally {
        Object.assign(limits, { holdHeadersMs });
      }
    },
  );

  it.each([false, true])('is paid for by who leaves, streamed %p', async (stream) => {
    const held = await t.relay.account();
    const gone = new AbortController();
    const answer = responsesAnswer(USAGE);
    t.answers(() => {
      gone.abort();
      return stream ? eventStream(eventsOf(answer, [])) : Response.json(answer);
    });
    const body = { model: models.openai, input: 'x', stream, tools: [interpreter('4g')] };
    const left = fetch(t.relay.base + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.relay.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    await left.then((got) => got.text()).catch(() => undefined);
    await released(t);
    expect(held.quota - (await t.relay.account()).quota).toBe(4 * ONE);
  });

  it('is held for beside every call that a limit allows', async () => {
    const body = {
      tools: [interpreter('4g'), shell(), { type: 'web_search' }],
      max_tool_calls: 1,
      input: 'x',
    };
    const before = [{ type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search' } }];
    const answer = () => responsesAnswer(USAGE, { before });
    const due = 5 * ONE + 5_000;
    const writtenOff = await t.relay.writtenOff();
    await t.relay.setBalance(due - 1);
    expect(await storm(t, { model: models.openai, path: PATH, body, answer }, 2)).toBe(0);
    await t.relay.setBalance(3 * due - 1);
    expect(await storm(t, { model: models.openai, path: PATH, body, answer }, 6)).toBe(2);
    expect((await t.relay.account()).quota).toBe(due - 1);
    expect(await t.relay.writtenOff()).toBe(writtenOff);
    await t.relay.settled(1);
  });
});

/** A talk that goes on, in either way that OpenAI's clients have. */
type Way = 'by the answer before' | 'by its items';
const WAYS: Way[] = ['by the answer before', 'by its items'];
const goingOn = (way: Way, { id }: { id: string }, calls: JsonObject[]): JsonObject =>
  way === 'by its items' ? { input: [SAID, ...calls, SAID] } : { previous_response_id: id };

describe.each(WAYS)('a talk that goes on in its container, %s', (way) => {
  const each = [false, true].flatMap((stream) => Object.entries(SIZES).map((of) => [...of, stream] as const));
  it.each(each)('pays for it once in twenty minutes: %s, %p, streamed %p', async (limit, size, stream) => {
    const before = [ran(fresh())];
    const tools = [interpreter(limit)];
    let last = await turn({ tools }, { before, stream });
    const paid = [last.paid];
    for (const minutes of [1, 19, 22, 41, 43]) {
      later(minutes);
      last = await turn({ tools, ...goingOn(way, last, before) }, { before, stream });
      paid.push(last.paid);
    }
    expect(paid).toEqual([size, 0, 0, size, 0, size]);
  });

  it('makes no other one while it is there, and one each time when it has gone', async () => {
    const before = [ran(fresh())];
    const tools = [interpreter('4g')];
    const first = await turn({ tools }, { before });
    const body = { tools, ...goingOn(way, first, before) };
    const paid = [first.paid];
    for (const minutes of [1, 19, 21, 22]) {
      later(minutes);
      paid.push(await paidFor(body));
    }
    expect(paid).toEqual([4, 0, 0, 4, 4]);
  });

  it.each<[how: string, stream: boolean, due: number[]]>([
    ['as a stream', true, [0, 1]],
    ['whole, of which nobody sees when it ran', false, [1, 1]],
  ])('makes no other one for so long after it was seen to run: %s', async (_how, stream, due) => {
    const before = [ran(fresh())];
    const whenAsked = () => void later(10);
    const first = await turn({ tools: [interpreter()] }, { before, stream, whenAsked });
    const paid: number[] = [];
    for (const minutes of [29, 31]) {
      later(minutes);
      paid.push(await paidFor({ tools: [interpreter()], ...goingOn(way, first, before) }));
    }
    expect(paid).toEqual(due);
  });

  it('makes another one after that, however long its answer goes on', async () => {
    const before = [ran(fresh())];
    const id = `resp_${++ids}`;
    const events = eventsOf(responsesAnswer(USAGE, { id, before }), before);
    const shown = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async start(upstream) {
        upstream.enqueue(await eventStream(events.slice(0, -1)).bytes());
        await shown.promise;
        upstream.enqueue(await eventStream(events.slice(-1)).bytes());
        upstream.close();
      },
    });
    t.answers(() => new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const asked = { model: models.openai, stream: true, input: 'x', tools: [interpreter()] };
    const got = await t.post(PATH, asked);
    for await (const _ of got.body ?? []) {
      later(10);
      shown.resolve();
    }
    later(21);
    expect(await paidFor({ tools: [interpreter()], ...goingOn(way, { id }, before) })).toBe(1);
  });

  it.each<[string, JsonObject, JsonObject[], number]>([
    ['larger', {}, [interpreter('16g')], 16],
    ['left out', { truncation: 'auto' }, [interpreter('4g')], 4],
    [
      'summed up',
      { context_management: [{ type: 'compaction', compact_threshold: 1000 }] },
      [interpreter('4g')],
      4,
    ],
    ['of a shell, which goes on in none', {}, [shell('4g')], 4],
  ])('pays for one that may be made all the same: %s', async (_what, more, tools, size) => {
    const before = [ran(fresh())];
    const first = await turn({ tools: [interpreter('4g')] }, { before });
    expect(await paidFor({ tools, ...more, ...goingOn(way, first, before) })).toBe(size);
  });

  it('does not stay in it by calls that never ran', async () => {
    const id = fresh();
    let last = await turn({ tools: [interpreter()] }, { before: [ran(id)] });
    const before = [{ ...ran(id), status: 'incomplete' }];
    later(19);
    last = await turn({ tools: [interpreter()], ...goingOn(way, last, before) }, { before });
    expect(last.paid).toBe(0);
    later(21);
    expect(await paidFor({ tools: [interpreter()], ...goingOn(way, last, before) })).toBe(1);
  });

  it('is not in one that is named, and in which nothing ran', async () => {
    const id = fresh();
    const first = await turn({ tools: [interpreter()] }, { before: [ran(id)] });
    const named: Asked[] = [
      { tools: [inside(id)] },
      { input: [{ ...SAID, container_id: id }] },
      { input: [{ ...ran(id), status: 'incomplete' }, SAID] },
      {
        tools: [inside(id)],
        ...goingOn(way, first, [{ ...ran(id), status: 'in_progress' }]),
        truncation: 'auto',
      },
    ];
    for (const body of named) {
      const { id: previous_response_id } = await turn(body);
      expect(await paidFor({ previous_response_id, tools: [interpreter()] })).toBe(1);
    }
  });

  it('pays for a larger one by its size, whatever is asked for', async () => {
    const before = [ran(fresh())];
    let last = await turn({ tools: [interpreter('64g')] }, { before });
    later(19);
    last = await turn({ tools: [interpreter()], ...goingOn(way, last, before) }, { before });
    expect(last.paid).toBe(0);
    later(21);
    expect(await paidFor({ tools: [interpreter()], ...goingOn(way, last, before) }, { before })).toBe(64);
  });

  it('pays for a larger one by its size while it may be there by the end of the last answer', async () => {
    const before = [ran(fresh())];
    let last = { id: '' };
    const paid: number[] = [];
    for (const start of [0, 20.2, 40.4]) {
      later(start);
      const body =
        start === 0
          ? { tools: [interpreter('64g')] }
          : { tools: [interpreter()], ...goingOn(way, last, before) };
      const got = await turn(body, { before, whenAsked: () => void later(start + 0.5) });
      paid.push(got.paid);
      last = got;
    }
    expect(paid).toEqual([64, 64, 64]);
    const calls = t.seen.length;
    later(60.6);
    await t.relay.setBalance(64 * ONE - 1);
    expect(
      (await turn({ tools: [interpreter()], max_tool_calls: 1, ...goingOn(way, last, before) })).status,
    ).toBe(403);
    expect(t.seen).toHaveLength(calls);
  });

  it('is held by a larger one, of which something may have been left out', async () => {
    const before = [ran(fresh())];
    const first = await turn({ tools: [interpreter('64g')] }, { before });
    const since = await turn({ ...goingOn(way, first, before), truncation: 'auto' });
    const body = { tools: [interpreter()], max_tool_calls: 1, ...goingOn(way, since, before) };
    expect(await paidFor(body)).toBe(way === 'by its items' ? 0 : 1);
    later(19);
    await t.relay.setBalance(64 * ONE - 1);
    expect((await turn(body)).status).toBe(403);
  });

  it('pays for the one that was made beside a larger one though its answer fails', async () => {
    const before = [ran(fresh())];
    const first = await turn({ tools: [interpreter('64g')] }, { before });
    const held = await t.relay.account();
    t.answers(() => Response.json(FAILED));
    const asked = { model: models.openai, input: [SAID], truncation: 'auto', tools: [interpreter()] };
    const got = await t.post(PATH, { ...asked, ...goingOn(way, first, before) });
    expect(got.status).toBe(502);
    await got.text();
    await t.row();
    expect(held.quota - (await t.relay.account()).quota).toBe(ONE);
  });

  it('pays for each by its own size', async () => {
    const [large, small] = [fresh(), fresh()];
    // It has one key alone.
    const model = 'other';
    const of = (...ids: string[]): Turn => ({ model, before: ids.map(ran) });
    const last = await turn({ tools: [interpreter('64g')] }, of(large));
    const first = await turn({ tools: [interpreter()], ...goingOn(way, last, [ran(large)]) }, of(small));
    expect(first.paid).toBe(1);
    later(19);
    for (const id of [large, small]) expect(await paidFor({ tools: [inside(id)] }, of(id))).toBe(0);
    later(21);
    const body = { tools: [inside(small)], ...goingOn(way, first, [ran(large), ran(small)]) };
    expect(await paidFor(body, of(small))).toBe(1);
    later(41);
    expect(await paidFor(body, of(large, small))).toBe(65);
  });

  it('pays for another one that its answer shows', async () => {
    const before = [ran(fresh())];
    const first = await turn({ tools: [interpreter()] }, { before });
    const body = { tools: [interpreter()], ...goingOn(way, first, before) };
    expect(await paidFor(body, { before: [ran(fresh())] })).toBe(1);
    expect(await paidFor(body, { before: [...before, ran(fresh())] })).toBe(1);
  });
});

it.each([false, true])(
  'pays for each session that passes while an answer runs in it, streamed %p',
  async (stream) => {
    const id = fresh();
    const tools = [interpreter('4g')];
    await turn({ tools }, { before: [ran(id)], stream });
    const paid: number[] = [];
    for (const [start, end] of [
      [19, 38],
      [39, 80],
      [95, 96],
      [100, 101],
    ] as const) {
      later(start);
      const whenAsked = () => void later(end);
      paid.push(await paidFor({ tools: [inside(id)] }, { before: [ran(id)], stream, whenAsked }));
    }
    expect(paid).toEqual([4, 12, 0, 4]);
  },
);

it('pays once at the least for answers at the same time', async () => {
  const id = fresh();
  await turn({ tools: [interpreter('4g')] }, { before: [ran(id)] });
  later(21);
  const before = (await t.relay.account()).quota;
  const body = { tools: [inside(id)], input: 'x' };
  await storm(
    t,
    { model: models.openai, path: PATH, body, answer: () => responsesAnswer(USAGE, { before: [ran(id)] }) },
    4,
  );
  expect(before - (await t.relay.account()).quota).toBeGreaterThanOrEqual(4 * ONE);
});

describe('a container by its id', () => {
  const made = async (tool: JsonObject, ranIn: (id: string) => JsonObject) => {
    const id = fresh();
    await turn({ tools: [tool] }, { before: [ranIn(id)] });
    return id;
  };
  const NAMING: [string, (id: string) => Asked][] = [
    ['in its tool', (id) => ({ tools: [inside(id)] })],
    ['in a shell', (id) => ({ tools: [{ type: 'shell', environment: reference(id) }] })],
    ['in an item', (id) => ({ input: [ran(id), SAID] })],
    ['in an item of a shell', (id) => ({ input: [ranInShell(id), SAID] })],
  ];

  it.each(NAMING)('goes up to the account that has it, for who made it: %s', async (_where, naming) => {
    const id = await made(interpreter(), ran);
    const maker = t.lastSeen.headers.get('authorization');
    for (let n = 0; n < 6; n++) {
      expect(await turn(naming(id))).toMatchObject({ status: 200, paid: 0 });
      expect(t.lastSeen.headers.get('authorization')).toBe(maker);
    }
    expect(JSON.stringify(t.lastSeen.body)).toContain(id);
  });

  it.each(NAMING)('is nobody’s elsewhere, and no stranger’s: %s', async (_where, naming) => {
    const id = await made(interpreter(), ran);
    const seen = t.seen.length;
    for (const [name, more] of [
      [id, { key: stranger }],
      [id, { model: 'other' }],
      ['cntr_made_up', {}],
      [`${id} `, {}],
      ['x'.repeat(300), {}],
    ] as [string, Turn][]) {
      const refused = await turn(naming(name), more);
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining('shared_context_refused'),
      ]);
    }
    expect(t.seen).toHaveLength(seen);
    expect(await t.relay.reservations()).toEqual([]);
  });

  it.each<[string, (id: string) => JsonObject]>([
    ['another spelling', (id) => ({ input: [{ type: 'code_interpreter_call', containerId: id }, SAID] })],
    ['another one beside it', (id) => ({ input: [{ ...ran(id), containerId: 'cntr_made_up' }, SAID] })],
    ['an object', (id) => ({ tools: [{ type: 'code_interpreter', container: { id } }] })],
    ['a list', (id) => ({ input: [{ ...ran(id), container_id: [id] }, SAID] })],
    ['deeper down', (id) => ({ input: [{ type: 'additional_tools', tools: [inside(id)] }, SAID] })],
    ['a choice', (id) => ({ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [inside(id)] } })],
    ['beside his own', (id) => ({ input: [ran(id), ran('cntr_made_up'), SAID] })],
  ])('is looked up where OpenAI reads it, and refused anywhere else: %s', async (_where, naming) => {
    const seen = t.seen.length;
    const got = await turn(naming(await made(interpreter(), ran)));
    expect(got.text).toContain('shared_context_refused');
    expect(t.seen).toHaveLength(seen + 1);
  });

  it('is a stranger’s wherever its account is not asked, and held for as all that is kept', async () => {
    const own = await made(interpreter(), ran);
    await t.price({ ModelRatio: { ...FREE, [models.shared]: 1 } });
    await t.relay.setBalance(100_000);
    const seen = t.seen.length;
    for (const id of [own, 'cntr_made_up'])
      expect((await turn({ input: [ran(id), SAID] }, { model: 'shared' })).status).toBe(403);
    expect(t.seen).toHaveLength(seen);
    await t.price({ ModelRatio: FREE });
  });

  it('is held for beside any number of others’', async () => {
    const last = await turn({ tools: [interpreter('64g')] }, { model: 'shared', before: [ran(fresh())] });
    const others = Array.from({ length: 64 }, (_, n) => ran(`cntr_others_${n}`));
    const body = { tools: [interpreter()], max_tool_calls: 1, previous_response_id: last.id };
    await t.relay.setBalance(64 * ONE - 1);
    const got = await turn({ ...body, input: [...others, SAID] }, { model: 'shared' });
    expect(got.status).toBe(403);
  });

  it('is gone on in where its call is named by its id alone, and held for where another item of its answer is', async () => {
    const call = ran(fresh());
    await turn({ tools: [interpreter('64g')] }, { before: [call] });
    const naming = (id: JsonObject[string]) => ({
      ...{ tools: [interpreter()], max_tool_calls: 1 },
      input: [{ type: 'item_reference', id }, SAID],
    });
    expect(await paidFor(naming(call.id ?? null))).toBe(0);
    const other = `msg_of_${String(call.id)}`;
    await turn(
      { tools: [interpreter('64g')] },
      { before: [ran(fresh()), { type: 'message', id: other, role: 'assistant', content: [] }] },
    );
    expect(await paidFor(naming(other))).toBe(1);
    await t.relay.setBalance(64 * ONE - 1);
    expect((await turn(naming(other))).status).toBe(403);
  });

  it('costs what it is worth again after its time', async () => {
    const id = await made(interpreter('16g'), ran);
    later(21);
    expect(await paidFor({ tools: [inside(id)] })).toBe(0);
    expect(await paidFor({ tools: [inside(id)] }, { before: [ran(id)] })).toBe(16);
    expect(await paidFor({ tools: [inside(id)] }, { before: [ran(id)] })).toBe(0);
    const inShell = await made(shell('4g'), ranInShell);
    const tools = [{ type: 'shell', environment: reference(inShell) }];
    expect(await paidFor({ tools }, { before: [ranInShell(inShell)] })).toBe(0);
    later(50);
    expect(await paidFor({ tools }, { before: [ranInShell(inShell)] })).toBe(4);
  });

  it('does not pay for another one that is made beside it', async () => {
    const id = await made(interpreter(), ran);
    for (const limit of ['1g', '64g'] as const)
      expect(await paidFor({ tools: [inside(id), interpreter(limit)] }, { before: [ran(id)] })).toBe(
        SIZES[limit],
      );
  });

  it('does not pay for another one when its session is over', async () => {
    const id = await made(interpreter('64g'), ran);
    later(19);
    expect(await paidFor({ tools: [inside(id)] }, { before: [ran(id)] })).toBe(0);
    later(21);
    expect(await paidFor({ tools: [inside(id), interpreter('64g')] }, { before: [ran(id)] })).toBe(128);
  });

  it('is none in which the interpreter goes on where that was summed up', async () => {
    const id = await made(interpreter('4g'), ran);
    const summary = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' };
    const tools = [interpreter('4g')];
    expect(await paidFor({ tools, input: [summary, ran(id), SAID] })).toBe(0);
    const { id: previous_response_id, paid } = await turn({ tools, input: [ran(id), summary, SAID] });
    expect(paid).toBe(4);
    expect(await paidFor({ tools, previous_response_id })).toBe(4);
    const { id: before } = await turn({ tools: [interpreter('4g')] }, { before: [ran(fresh())] });
    const since = await turn({ tools, previous_response_id: before, input: [summary, SAID] });
    expect(since.paid).toBe(4);
    expect(await paidFor({ tools, previous_response_id: since.id })).toBe(4);
  });

  it('is none in which the interpreter goes on where its own answer may have summed it up', async () => {
    const tools = [interpreter('4g')];
    const context_management = [{ type: 'compaction', compact_threshold: 1000 }];
    const { id } = await turn({ tools, context_management }, { before: [ran(fresh())] });
    expect(await paidFor({ tools, previous_response_id: id })).toBe(4);
  });

  it.each(['compaction_trigger', 'compaction_summary', 'context_compaction'])(
    'is none in which the interpreter goes on behind an item that sums up: %s',
    async (type) => {
      const tools = [interpreter('4g')];
      const { id } = await turn({ tools }, { before: [ran(fresh())] });
      const since = await turn({ tools, previous_response_id: id, input: [SAID, { type }] });
      expect(since.paid).toBe(4);
      expect(await paidFor({ tools, previous_response_id: since.id })).toBe(4);
    },
  );

  it.each<[string, JsonObject, (id: string) => JsonObject]>([
    ['of a shell', shell('4g'), ran],
    ['in which a shell ran', interpreter('4g'), ranInShell],
  ])('is none in which the interpreter goes on: %s', async (_what, tool, call) => {
    const id = await made(tool, tool.type === 'shell' ? ranInShell : ran);
    const tools = [interpreter('4g')];
    const { id: previous_response_id, paid } = await turn({ tools, input: [call(id), SAID] });
    expect(paid).toBe(4);
    expect(await paidFor({ tools, previous_response_id })).toBe(4);
  });

  // OpenAI reads nothing of it any more, and makes another one.
  describe.each([false, true])(
    'is none in which it goes on where its calls go with what was thought before them, streamed %p',
    (stream) => {
      const tools = [interpreter('4g')];
      const goesOnIn = async (input: JsonObject[], more: Turn = {}) => {
        const { id: previous_response_id, paid } = await turn({ tools, input }, { stream, ...more });
        return [paid, await paidFor({ tools, previous_response_id }, { stream })];
      };

      it('since nobody could open it', async () => {
        const call = ran(await made(interpreter('4g'), ran));
        const seal = `gAAAAAB${++ids}`;
        const input = [sealed(seal), call, SAID];
        expect(await goesOnIn(input)).toEqual([0, 0]);
        expect(await goesOnIn(input, { refuses: seal })).toEqual([4, 4]);
        expect(await goesOnIn([call, ...input], { refuses: seal })).toEqual([0, 0]);
        expect(await goesOnIn([...input, call], { refuses: seal })).toEqual([0, 0]);
      });

      it('since another account has sealed it', async () => {
        const [seal, call] = [`gAAAAAB${++ids}`, ran(fresh())];
        const history = [sealed(seal), call];
        await turn({ tools, store: false }, { model: 'other', before: [sealed(seal)] });
        await turn({ tools }, { before: [call] });
        expect(await goesOnIn([...history, SAID])).toEqual([4, 4]);
      });
    },
  );

  it('is not known where nobody can tell its size', async () => {
    const id = fresh();
    expect(await paidFor({ tools: [interpreter(), interpreter('4g')] }, { before: [ran(id)] })).toBe(4);
    expect((await turn({ tools: [inside(id)] })).status).toBe(400);
  });
});

describe('at Azure’s address', () => {
  it('costs its price once in an hour', async () => {
    const before = [ran(fresh())];
    let last: { id: string } | undefined;
    const paid: number[] = [];
    for (const minutes of [0, 10, 19, 35, 55, 61, 75]) {
      later(minutes);
      const earlier = last && { previous_response_id: last.id };
      const got = await turn({ tools: [interpreter()], ...earlier }, { model: 'azure', before });
      paid.push(got.paid);
      last = got;
    }
    expect(paid).toEqual([1, 0, 0, 0, 0, 1, 0]);
  });

  it.each([false, true])('costs nothing where none is shown, streamed %p', async (stream) => {
    for (const tool of [interpreter('64g'), shell()])
      expect(await paidFor({ tools: [tool] }, { model: 'azure', stream })).toBe(0);
  });

  it('costs a session for each hour that passes in an answer', async () => {
    const whenAsked = () => void later(61);
    expect(
      await paidFor({ tools: [interpreter('4g')] }, { model: 'azure', before: [ran(fresh())], whenAsked }),
    ).toBe(8);
  });
});
