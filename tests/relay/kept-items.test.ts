/**
 * Responses keeps the items of its answers unless it is told not to, and reads them again by their ids for the account that
 * made them: agents name them so, or send them whole but for what they thought, which stands there by its id alone.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { memoryOneTimeStore } from '../../src/platform/memory-stores.ts';
import { eventStream, type OperationSeen, type Operations, openOperations } from '../support/operations.ts';
import { messagesAnswer } from '../support/short-answers.ts';

const MODEL = 'gpt-5-mini';
const HI: JsonObject = { role: 'user', content: 'Weather in Oslo?' };
const AND_NOW: JsonObject = { role: 'user', content: 'And now?' };

let t: Operations;
/** By the id of an item, the account that has it. */
let keepers: Map<string, string>;
let made = 0;
/** The channels of each account, which all answer one model. */
const channels: Record<string, number> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true, RetryTimes: 2 });
  const setting = JSON.stringify({ proxy: t.base });
  const place = { type: 1, base_url: 'http://api.openai.com', setting };
  for (const key of ['a', 'b']) channels[key] = await t.relay.addChannel({ ...place, key, models: MODEL });
  channels.alone = await t.relay.addChannel({ ...place, key: 'c', models: 'gpt-5' });
  await t.relay.addChannel({ type: 14, base_url: t.base, key: 'd', models: 'claude-sonnet-4-6' });
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());
beforeEach(() => {
  keepers = new Map();
  t.answers(answer);
});

const itemsIn = ({ input }: JsonObject): JsonObject[] =>
  Array.isArray(input) ? (input as JsonObject[]) : [];
const accountOf = ({ headers }: Pick<OperationSeen, 'headers'>) =>
  (headers.get('authorization') ?? '').replace('Bearer ', '');
const isBare = ({ type, encrypted_content: seal }: JsonObject) =>
  type === 'item_reference' || (type === 'reasoning' && !seal);
const refusal = (id: unknown, status = 404) =>
  Response.json(
    {
      error: {
        message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        type: 'invalid_request_error',
        param: 'input',
        code: null,
      },
    },
    { status },
  );

/** As OpenAI does: it knows the items of its own account alone, and thinks and calls a function until it knows enough. */
function answer({ body, headers, path }: OperationSeen): Response {
  if (path.endsWith('/messages')) {
    return Response.json(messagesAnswer({ input_tokens: 60, output_tokens: 20 }));
  }
  const account = accountOf({ headers });
  const strange = itemsIn(body).find((item) => isBare(item) && keepers.get(String(item.id)) !== account);
  if (strange) return refusal(strange.id);
  const n = made++;
  const wantsCall = itemsIn(body).at(-1)?.role === 'user';
  const content = [{ type: 'output_text', text: 'Sunny.', annotations: [] }];
  const output: JsonObject[] = [
    { id: `rs_${n}`, type: 'reasoning', summary: [] },
    wantsCall
      ? { id: `fc_${n}`, type: 'function_call', name: 'f', call_id: `call_${n}`, arguments: '{}' }
      : { id: `msg_${n}`, type: 'message', role: 'assistant', content },
  ];
  if (body.store !== false) for (const { id } of output) keepers.set(String(id), account);
  const usage = { input_tokens: 60, output_tokens: 20, output_tokens_details: { reasoning_tokens: 10 } };
  const response = { id: `resp_${n}`, status: 'completed', model: MODEL, store: body.store ?? true, usage };
  if (!body.stream) return Response.json({ ...response, output });
  return eventStream([
    { type: 'response.created', response: { ...response, usage: null, output: [] } },
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { ...response, output } },
  ]);
}

/** How a client sends an item of an answer back. */
type SentBack = (item: JsonObject) => JsonObject;
/** The Vercel AI SDK, which sends calls of functions whole. */
const byReference: SentBack = (item) =>
  item.type === 'function_call' ? item : { type: 'item_reference', id: item.id ?? null };
/** OpenAI's Agents SDK and LangChain. */
const whole: SentBack = (item) => item;

interface Asks {
  key?: string;
  stream?: boolean;
  model?: string;
  more?: JsonObject;
}

async function ask(
  input: JsonObject[],
  { key = t.relay.key, stream = false, model = MODEL, more = {} }: Asks = {},
) {
  const authorization = `Bearer ${key}`;
  const before = t.seen.length;
  const got = await t.post('/v1/responses', { model, input, stream, ...more }, { authorization });
  const text = await got.text();
  const told = JSON.parse(text.trim().split('\ndata: ').at(-1) ?? '') as JsonObject;
  const { output } = (told.response ?? told) as JsonObject;
  const asked = t.seen.slice(before).map(accountOf);
  return { status: got.status, text, asked, output: itemsIn({ input: output ?? [] }) };
}

/** Two turns of a talk, each with a call of a function: status and accounts of every step. */
async function talk(sentBack: SentBack, asks: Asks = {}) {
  const input = [HI];
  const steps: { status: number; asked: string[]; text: string }[] = [];
  for (let step = 0; step < 4; step++) {
    const { output, ...got } = await ask(input, asks);
    steps.push(got);
    if (got.status !== 200) break;
    input.push(...output.map(sentBack));
    const calls = output.filter(({ type }) => type === 'function_call');
    input.push(...calls.map(({ call_id = '' }) => ({ type: 'function_call_output', call_id, output: 'r' })));
    if (calls.length === 0) input.push(AND_NOW);
  }
  return steps;
}

const newcomer = async () => t.relay.addToken({}, await t.relay.api.createUser({ quota: 500_000_000 }));
const statuses = (steps: readonly { status: number }[]) => steps.map(({ status }) => status);
const SERVED = [200, 200, 200, 200];

describe.each([false, true])('a talk whose client names items of its answers, streamed %p', (stream) => {
  it('goes on at one account', async () => {
    expect(statuses(await talk(byReference, { model: 'gpt-5', stream }))).toEqual(SERVED);
  });

  it('stays at the one of several accounts that has them', async () => {
    for (let n = 0; n < 8; n++) {
      const steps = await talk(byReference, { stream });
      expect(statuses(steps)).toEqual(SERVED);
      expect(new Set(steps.flatMap(({ asked }) => asked)).size).toBe(1);
    }
  });

  it('goes on whole, wherever its turns are answered', async () => {
    const used = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const steps = await talk(whole, { stream });
      expect(statuses(steps)).toEqual(SERVED);
      // What another account thought is left out before anybody is asked.
      expect(steps.map(({ asked }) => asked.length)).toEqual([1, 1, 1, 1]);
      for (const account of steps.flatMap(({ asked }) => asked)) used.add(account);
    }
    expect([...used].sort()).toEqual(['a', 'b']);
  });
});

describe('items by their ids', () => {
  /** What this one answered last, as it is named. */
  async function named(asks: Asks = {}): Promise<JsonObject[]> {
    const first = await ask([HI], asks);
    const calls = first.output.filter(({ type }) => type === 'function_call');
    const results = calls.map(({ call_id = '' }) => ({ type: 'function_call_output', call_id, output: 'r' }));
    const { output } = await ask([HI, ...first.output, ...results], asks);
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    return output.map(byReference);
  }
  const refused = (got: { status: number; text: string; asked: string[] }, field: string) => {
    expect([got.status, got.asked]).toEqual([400, []]);
    expect(JSON.parse(got.text).error).toMatchObject({ code: 'shared_context_refused', param: field });
    expect(got.text).toContain('`store: false`');
  };

  it.each<[how: string, shape: (id: string) => JsonObject]>([
    ['as references', (id) => ({ type: 'item_reference', id })],
    ['by nothing but their ids', (id) => ({ id })],
    ['as pictures', (id) => ({ type: 'image_generation_call', id })],
  ])('are taken %s', async (_, shape) => {
    const items = (await named()).map(({ id }) => shape(String(id)));
    expect((await ask([HI, ...items, AND_NOW])).status).toBe(200);
    expect(itemsIn(t.lastSeen.body)).toEqual([HI, ...items, AND_NOW]);
  });

  it('are nobody else’s: of another user, and of another application of his', async () => {
    const items = await named();
    refused(await ask([HI, ...items, AND_NOW], { key: await newcomer() }), 'input[1]');
    const [strange = {}, ...own] = await named({ key: await newcomer() });
    refused(await ask([HI, strange, ...own, AND_NOW]), 'input[1]');
    expect(await t.relay.reservations()).toEqual([]);
  });

  it('that nobody has are refused before any charge, beside those that are known', async () => {
    const items = await named();
    const strange = { type: 'item_reference', id: 'msg_nobody' };
    refused(await ask([HI, ...items, strange, AND_NOW]), `input[${items.length + 1}]`);
    for (const id of ['x'.repeat(2_000), null, 7])
      refused(await ask([HI, { type: 'item_reference', id }, AND_NOW]), 'input[1]');
    expect(await t.relay.reservations()).toEqual([]);
  });

  it('of several accounts are refused', async () => {
    const atBoth = await Promise.all([named(), named({ model: 'gpt-5' })]);
    refused(await ask([HI, ...atBoth.flat(), AND_NOW]), 'input[3]');
  });

  it('of a model that another account alone serves are refused', async () => {
    refused(await ask([HI, ...(await named()), AND_NOW], { model: 'gpt-5' }), 'input[1]');
  });

  it('are known of no answer that its service has not kept', async () => {
    const put = spyOn(t.relay.api.deps.relay.pieces, 'put');
    const { output } = await ask([HI], { more: { store: false } });
    refused(await ask([HI, ...output.map((item) => ({ id: item.id ?? null })), AND_NOW]), 'input[1]');
    expect(put.mock.calls.flatMap(([name]) => (name.startsWith('item:') ? name : []))).toEqual([]);
    put.mockRestore();
  });

  it('are known of no answer that was put into other words', async () => {
    const put = spyOn(t.relay.api.deps.relay.pieces, 'put');
    const { output } = await ask([HI], { model: 'claude-sonnet-4-6' });
    const items = output.map(({ id = null }) => ({ type: 'item_reference', id }));
    expect(items).toEqual([{ type: 'item_reference', id: expect.any(String) }]);
    refused(await ask([HI, ...items, AND_NOW], { model: 'claude-sonnet-4-6' }), 'input[1]');
    expect(put).not.toHaveBeenCalled();
    put.mockRestore();
  });

  it('are looked up by one command, and only by who names some', async () => {
    const items = await named();
    const { pieces } = t.relay.api.deps.relay;
    const getAll = spyOn(pieces, 'getAll');
    const looks = () => getAll.mock.calls.filter(([names]) => names.some((name) => name.startsWith('item:')));
    await ask([HI]);
    expect(looks()).toEqual([]);
    await ask([HI, ...items, ...items, AND_NOW]);
    expect(looks().map(([names]) => names.length)).toEqual([items.length]);
    getAll.mockRestore();
  });

  it('go up to nobody while the memory is away', async () => {
    const items = await named();
    const away = spyOn(t.relay.api.deps.relay.pieces, 'getAll').mockRejectedValue(new Error('away'));
    const got = await ask([HI, ...items, AND_NOW]);
    expect([got.status >= 400, got.asked]).toEqual([true, []]);
    away.mockRestore();
    expect(await t.relay.reservations()).toEqual([]);
  });

  it('of no more than a few of one answer are remembered', async () => {
    const put = spyOn(t.relay.api.deps.relay.pieces, 'put');
    const output = Array.from({ length: 300 }, (_, n) => ({ type: 'message', id: `m_${n}`, content: [] }));
    t.answers(() => Response.json({ id: 'resp_many', status: 'completed', output, usage: {} }));
    await ask([HI]);
    await t.row();
    expect(put.mock.calls.filter(([name]) => /^item:.*:m_/.test(name)).length).toBeWithin(16, 65);
    put.mockRestore();
  });
});

describe('thoughts by their ids', () => {
  const forgetAll = () => {
    t.relay.api.deps.relay.pieces = memoryOneTimeStore();
  };
  const thought = (id: string): JsonObject => ({ type: 'reasoning', id, summary: [] });
  const call: JsonObject = { type: 'function_call', id: 'fc_x', call_id: 'c', name: 'f', arguments: '{}' };
  const result: JsonObject = { type: 'function_call_output', call_id: 'c', output: 'r' };

  it.each([404, 400])(
    'that nobody there knows are left out once it is said by %p, and from then on',
    async (status) => {
      forgetAll();
      t.answers((seen) => {
        const strange = itemsIn(seen.body).find((item) => isBare(item) && !keepers.has(String(item.id)));
        return strange ? refusal(strange.id, status) : answer(seen);
      });
      const key = await newcomer();
      const input = [HI, thought('rs_gone_1'), thought('rs_gone_2'), call, result];
      const first = await ask(input, { key });
      expect([first.status, first.asked.length]).toEqual([200, 2]);
      expect(itemsIn(t.lastSeen.body)).toEqual([HI, { ...call, id: undefined }, result].map(plain));
      const again = await ask(input, { key });
      expect([again.status, again.asked.length]).toEqual([200, 1]);
    },
  );

  it('that are named are left out, too, where their own account has lost them', async () => {
    const key = await newcomer();
    const { output } = await ask([HI], { key });
    keepers.clear();
    const [thoughts = {}, called = {}] = output.map(byReference);
    const { call_id: id = '' } = called;
    const got = await ask([HI, thoughts, called, { ...result, call_id: id }], { key });
    expect([got.status, got.asked.length]).toEqual([200, 2]);
  });

  it('are those of an account, whichever of its models has thought them', async () => {
    await t.relay.addChannel({
      type: 1,
      base_url: 'http://api.openai.com',
      setting: JSON.stringify({ proxy: t.base }),
      key: 'a',
      models: 'gpt-5-nano',
    });
    await t.relay.addChannel({
      type: 1,
      base_url: 'http://api.openai.com',
      setting: JSON.stringify({ proxy: t.base }),
      key: 'z',
      models: 'gpt-5-nano',
      priority: -1,
    });
    await t.relay.root.put('/api/channel/', { id: channels.a, priority: 1 });
    const { output, asked } = await ask([HI]);
    await t.relay.root.put('/api/channel/', { id: channels.a, priority: 0 });
    expect(asked).toEqual(['a']);
    const results = output.flatMap(({ type, call_id = '' }) =>
      type === 'function_call' ? [{ ...result, call_id }] : [],
    );
    const other = await ask([HI, ...output, ...results], { model: 'gpt-5-nano' });
    expect([other.status, other.asked]).toEqual([200, ['a']]);
    expect(itemsIn(t.lastSeen.body)).toEqual([HI, ...output, ...results]);
  });
});

/** Without what is undefined, as JSON has it. */
const plain = (item: object): JsonObject => JSON.parse(JSON.stringify(item));

it.each([
  ['all of them', 0],
  ['the last ones', 8],
])('a talk that searches and names its items holds no more than it grows: %s', async (_, kept) => {
  const FOUND = 5_000;
  let turn = 0;
  let read = 300;
  const holds: number[] = [];
  t.answers(async () => {
    holds.push((await t.relay.reservations()).reduce((sum, { amount }) => sum + amount, 0));
    turn++;
    const told = 2 * read + FOUND;
    read += FOUND + 500;
    return Response.json({
      ...{ id: `resp_s${kept}${turn}`, object: 'response', status: 'completed', model: MODEL, store: true },
      output: [
        {
          id: `ws_s${kept}${turn}`,
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', query: 'q' },
        },
        {
          ...{ id: `msg_s${kept}${turn}`, type: 'message', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'Sunny.', annotations: [] }],
        },
      ],
      usage: { input_tokens: told, output_tokens: 500, total_tokens: told + 500 },
    });
  });
  const input: JsonObject[] = [];
  for (let n = 1; n <= 12; n++) {
    input.push(HI);
    const said = kept ? input.slice(-kept) : input;
    const body = { model: MODEL, tools: [{ type: 'web_search' }], max_output_tokens: 4_000, input: said };
    const given = await t.post('/v1/responses', body);
    expect(given.status).toBe(200);
    const { output } = (await given.json()) as { output: JsonObject[] };
    input.push(...output.map(({ id = null }) => ({ type: 'item_reference', id })));
  }
  // Of twelve turns the last reads eleven times what the second does.
  const [, second = 0] = holds;
  expect(holds.at(-1)).toBeLessThan(11 * second);
});

it('a container in which a named item ran is read, and paid for once', async () => {
  const RUNS = [true, false, false, true, false];
  let turn = 0;
  t.answers(() => {
    const n = ++turn;
    return Response.json({
      ...{ id: `resp_c${n}`, object: 'response', status: 'completed', model: MODEL, store: true },
      output: [
        ...(RUNS[n - 1]
          ? [
              {
                id: `ci_c${n}`,
                type: 'code_interpreter_call',
                status: 'completed',
                container_id: 'cntr_c',
                code: '1',
              },
            ]
          : []),
        {
          ...{ id: `msg_c${n}`, type: 'message', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'ok', annotations: [] }],
        },
      ],
      usage: { input_tokens: 100 * n, output_tokens: 50, total_tokens: 100 * n + 50 },
    });
  });
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }];
  const input: JsonObject[] = [];
  const paid: unknown[] = [];
  for (const _ of RUNS) {
    input.push(HI);
    const given = await t.post('/v1/responses', { model: MODEL, tools, max_output_tokens: 500, input });
    const { output } = (await given.json()) as { output: JsonObject[] };
    input.push(...output.map(({ id = null }) => ({ type: 'item_reference', id })));
    const { other } = await t.row();
    paid.push((other.tool_uses ?? []).length);
  }
  expect(paid).toEqual([1, 0, 0, 0, 0]);
});
