/**
 * OpenAI seals reasoning to the account and the model that wrote it, and refuses it of any other: conversations go on all
 * the same, whoever answers them next.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { carry } from '../../src/dialects/carried.ts';
import { fieldsBut } from '../../src/dialects/fields.ts';
import { memoryOneTimeStore } from '../../src/platform/memory-stores.ts';
import { eventStream, type OperationSeen, type Operations, openOperations } from '../support/operations.ts';

const MODELS = 'gpt-6.1-sol,gpt-6-luna';
const [MODEL = '', OTHER = ''] = MODELS.split(',');

let t: Operations;
/** By its seal, which account and model wrote it. */
let writers: Map<string, string>;
/** Names a channel, where it ends with one. */
let admins = '';
/** The channel of each account. */
const channels: Record<string, number> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true, RetryTimes: 1 });
  const setting = JSON.stringify({ proxy: t.base });
  const place = { type: 3, base_url: 'http://mine.openai.azure.com', setting, models: MODELS };
  for (const key of ['a', 'b']) channels[key] = await t.relay.addChannel({ ...place, key });
  admins = await t.relay.addToken({}, await t.relay.api.createUser({ role: 10, quota: 500_000_000 }));
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());
const forgetAll = () => {
  t.relay.api.deps.relay.pieces = memoryOneTimeStore();
};
beforeEach(() => {
  writers = new Map();
  forgetAll();
  t.answers(answer);
});

const refused = (message: string, code: string | null = 'invalid_encrypted_content') =>
  Response.json({ error: { message, type: 'invalid_request_error', param: null, code } }, { status: 400 });

const DONE: JsonObject = {
  id: 'resp_x',
  status: 'completed',
  output: [
    { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
  ],
  usage: { input_tokens: 9, output_tokens: 9 },
};
const answered = (stream: boolean) =>
  stream ? eventStream([{ type: 'response.completed', response: DONE }]) : Response.json(DONE);

const itemsIn = ({ input }: JsonObject): JsonObject[] =>
  Array.isArray(input) ? (input as JsonObject[]) : [];
const sealsIn = (body: JsonObject) => itemsIn(body).flatMap(({ encrypted_content: seal }) => seal ?? []);
const accountOf = ({ headers }: Pick<OperationSeen, 'headers'>) => headers.get('api-key') ?? '';

function answer({ body, headers }: OperationSeen): Response {
  const account = accountOf({ headers });
  const writer = `${account} ${body.model}`;
  if (sealsIn(body).some((seal) => writers.get(String(seal)) !== writer))
    return refused('The encrypted content gAAA...DQ== could not be verified.');
  const n = writers.size;
  const seal = `gAAAAAB${n}${'x'.repeat(50)}`;
  writers.set(seal, writer);
  const output = [
    {
      type: 'reasoning',
      id: `rs_${n}`,
      summary: n % 2 ? [{ type: 'summary_text', text: 'so' }] : [],
      encrypted_content: seal,
    },
    { type: 'function_call', id: `fc_${n}`, call_id: `call_${n}`, name: 'f', arguments: '{}' },
  ];
  const usage = { input_tokens: 9, output_tokens: 9 };
  const response = { id: `resp_${n}`, status: 'completed', output, usage };
  if (!body.stream) return Response.json(response);
  const done = output.map((item) => ({ type: 'response.output_item.done', item }));
  return eventStream([
    { type: 'response.created', response: { id: response.id } },
    ...done,
    { type: 'response.completed', response },
  ]);
}

const parameters = { type: 'object', properties: {} };

/** A caller: how he asks, and what he adds to his history of an answer. */
interface Caller {
  path(model: string): string;
  body(model: string, history: JsonObject[]): JsonObject;
  begin: JsonObject;
  goOn(said: JsonObject): JsonObject[];
}
const CALLERS: Record<string, Caller> = {
  Messages: {
    path: () => '/v1/messages',
    body: (model, messages) => ({
      model,
      max_tokens: 500,
      tools: [{ name: 'f', input_schema: parameters }],
      messages,
    }),
    begin: { role: 'user', content: 'hi' },
    goOn({ content }) {
      const results = (content as JsonObject[]).flatMap(({ type, id = '' }) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'r' }] : [],
      );
      return [
        { role: 'assistant', content: content ?? [] },
        { role: 'user', content: results },
      ];
    },
  },
  Chat: {
    path: () => '/v1/chat/completions',
    body: (model, messages) => ({
      model,
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      messages,
    }),
    begin: { role: 'user', content: 'hi' },
    goOn({ choices }) {
      const [{ message }] = choices as [{ message: JsonObject & { tool_calls: [{ id: string }] } }];
      return [message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'r' }];
    },
  },
  Gemini: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, contents) => ({ contents, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }),
    begin: { role: 'user', parts: [{ text: 'hi' }] },
    goOn({ candidates }) {
      const [{ content }] = candidates as [{ content: JsonObject }];
      return [content, { role: 'user', parts: [{ functionResponse: { name: 'f', response: { r: 1 } } }] }];
    },
  },
};

describe.each(Object.entries(CALLERS))('a conversation by %s', (_, caller) => {
  /** Its turns, each by this account and model. Answers whose thoughts went up. */
  async function turns(...each: [account: string, model: string][]): Promise<string[][]> {
    const history = [caller.begin];
    const told: string[][] = [];
    for (const [account, model] of each) {
      const pinned = { authorization: `Bearer ${admins}-${channels[account]}` };
      const response = await t.post(caller.path(model), caller.body(model, history), pinned);
      const said = (await response.json()) as JsonObject;
      expect([response.status, said.error, accountOf(t.lastSeen)]).toEqual([200, undefined, account]);
      history.push(...caller.goOn(said));
      told.push(sealsIn(t.lastSeen.body).map((seal) => writers.get(String(seal)) ?? ''));
    }
    return told;
  }

  it('goes on at another account, and sends each its own thoughts', async () => {
    const [a, b] = [`a ${MODEL}`, `b ${MODEL}`];
    const told = await turns(['a', MODEL], ['a', MODEL], ['b', MODEL], ['b', MODEL], ['a', MODEL]);
    expect(told).toEqual([[], [a], [], [b], [a, a]]);
  });

  it('goes on with another model', async () => {
    const [one, other] = [`a ${MODEL}`, `a ${OTHER}`];
    const told = await turns(['a', MODEL], ['a', OTHER], ['a', OTHER], ['a', MODEL]);
    expect(told).toEqual([[], [], [other], [one]]);
  });
});

describe('a conversation by Responses', () => {
  const itemsOf = (text: string): JsonObject[] => {
    const told = JSON.parse(text.trim().split('\ndata: ').at(-1) ?? '') as JsonObject;
    return itemsIn({ input: ((told.response ?? told) as JsonObject).output });
  };
  let highest = 0;

  /** Its turns, each asked of one account first: who was asked then, and what went up to the last of them. */
  function talk({ stream = false, leftOut = [] as string[], key = t.relay.key } = {}) {
    const input: JsonObject[] = [HI];
    return async (account: string, model = MODEL) => {
      await t.relay.root.put('/api/channel/', { id: channels[account], priority: ++highest });
      const before = t.seen.length;
      const authorization = `Bearer ${key}`;
      const response = await t.post('/v1/responses', { model, input, stream }, { authorization });
      const back = itemsOf(await response.text()).map((item) => fieldsBut(item, new Set(leftOut)));
      const calls = back.filter(({ type }) => type === 'function_call');
      input.push(...back, ...calls.map(({ call_id = '' }) => ({ ...RESULT, call_id })));
      const { body } = t.lastSeen;
      return {
        asked: t.seen.slice(before).map(accountOf),
        sealers: sealsIn(body).map((seal) => writers.get(String(seal)) ?? ''),
        ids: itemsIn(body).flatMap(({ id }) => id ?? []),
      };
    };
  }
  const [a, b, other] = [`a ${MODEL}`, `b ${MODEL}`, `a ${OTHER}`];
  const newcomer = async () => t.relay.addToken({}, await t.relay.api.createUser({ quota: 500_000_000 }));

  // Codex brings no ids back, which OpenAI's SDK leaves in.
  it.each<[string, { stream: boolean; leftOut: string[] }, ids: string[]]>([
    ['whole', { stream: false, leftOut: [] }, ['rs_0', 'fc_0', 'rs_1', 'fc_1']],
    ['streamed and without ids', { stream: true, leftOut: ['id'] }, []],
  ])('goes on at another account, and sends each its own thoughts, %s', async (_, asked, ids) => {
    const turn = talk(asked);
    const told = [await turn('a'), await turn('a'), await turn('b'), await turn('b'), await turn('a')];
    expect(told.map((each) => each.asked)).toEqual([['a'], ['a'], ['b'], ['b'], ['a']]);
    expect(told.map(({ sealers }) => sealers)).toEqual([[], [a], [], [b], [a, a]]);
    expect(told.at(-1)?.ids).toEqual(ids);
  });

  it('goes on with another model', async () => {
    const turn = talk();
    const told = [await turn('a'), await turn('a', OTHER), await turn('a', OTHER), await turn('a')];
    expect(told.map(({ asked }) => asked)).toEqual([['a'], ['a'], ['a'], ['a']]);
    expect(told.map(({ sealers }) => sealers)).toEqual([[], [], [other], [a]]);
  });

  it('is refused once where an account is gone, and goes on with the one that is left', async () => {
    const turn = talk({ key: await newcomer() });
    await turn('a');
    await t.relay.root.put('/api/channel/', { id: channels.a, status: 2 });
    const told = [await turn('b'), await turn('b')];
    await t.relay.root.put('/api/channel/', { id: channels.a, status: 1 });
    expect(told.map(({ asked }) => asked)).toEqual([['b', 'b'], ['b']]);
    expect(told.map(({ sealers }) => sealers)).toEqual([[], [b]]);
  });

  const keptSeals = (put: { mock: { calls: [name: string, value: string, ...rest: unknown[]][] } }) =>
    put.mock.calls.flatMap(([name, mark]) => (name.startsWith('seal:') ? mark : []));

  // As where a second account is added, or a process begins anew that keeps all in its own memory.
  it.each([false, true])(
    'is refused once where nobody remembers who sealed it, streamed %p',
    async (stream) => {
      const turn = talk({ stream, key: await newcomer() });
      for (let n = 0; n < 3; n++) await turn('a');
      forgetAll();
      const put = spyOn(t.relay.api.deps.relay.pieces, 'put');
      const told = [await turn('b'), await turn('b'), await turn('b'), await turn('a')];
      expect(told.map(({ asked }) => asked)).toEqual([['b', 'b'], ['b'], ['b'], ['a']]);
      expect(told.map(({ sealers }) => sealers)).toEqual([[], [b], [b, b], []]);
      // One for what was refused, and one for each of four answers.
      expect(keptSeals(put)).toHaveLength(5);
      put.mockRestore();
    },
  );

  it('keeps what was refused where it is refused without, too', async () => {
    const turn = talk({ key: await newcomer() });
    await turn('a');
    forgetAll();
    t.answers((seen) => (sealsIn(seen.body).length > 0 ? answer(seen) : refused('no', null)));
    const put = spyOn(t.relay.api.deps.relay.pieces, 'put');
    expect((await turn('b')).asked).toEqual(['b', 'b']);
    expect(keptSeals(put)).toEqual([]);
    put.mockRestore();
    t.answers(answer);
    expect((await turn('a')).sealers).toEqual([a]);
  });

  // A service behind one key may have several accounts of its own.
  it('is refused once where the one account that sealed it opens it no more', async () => {
    channels.pool = await t.relay.addChannel({
      type: 3,
      base_url: t.base,
      models: 'gpt-6.3-sol',
      key: 'pool',
    });
    const turn = talk({ key: await newcomer() });
    const told: Awaited<ReturnType<typeof turn>>[] = [];
    for (let n = 0; n < 9; n++) {
      if (n === 2 || n === 6) for (const seal of writers.keys()) writers.set(seal, 'another');
      told.push(await turn('pool', 'gpt-6.3-sol'));
    }
    expect(told.map(({ asked }) => asked.length)).toEqual([1, 1, 2, 2, 1, 1, 2, 1, 1]);
    expect(told.map(({ sealers }) => sealers.length)).toEqual([0, 1, 0, 0, 1, 2, 0, 1, 2]);
  });

  it('goes on where channels of one account ask different models, and nobody refuses it', async () => {
    const [one, two] = ['gpt-6.1-terra', 'gpt-6.2-terra'] as const;
    const place = { type: 3, base_url: t.base, models: 'our-thinker', key: 'c' };
    for (const model of [one, two]) {
      const mapped = { ...place, model_mapping: JSON.stringify({ 'our-thinker': model }) };
      channels[model] = await t.relay.addChannel(mapped);
    }
    const turn = talk({ key: await newcomer() });
    const told = [await turn(one, 'our-thinker'), await turn(two, 'our-thinker')];
    expect(told.map(({ asked }) => asked)).toEqual([['c'], ['c']]);
    expect(told.map(({ sealers }) => sealers)).toEqual([[], []]);
  });

  it.each([
    ['calls more often than he may', { UserRequestsPerMinute: 1 }, { quota: 500_000_000 }, 429],
    ['cannot pay', {}, { quota: 0 }, 403],
  ])('costs nothing where its caller %s', async (_, options, user, status) => {
    const { pieces } = t.relay.api.deps.relay;
    const authorization = `Bearer ${await t.relay.addToken({}, await t.relay.api.createUser(user))}`;
    const input = [HI, { type: 'reasoning', summary: [], encrypted_content: 'gAAAAAB' }];
    const ask = () => t.post('/v1/responses', { model: MODEL, input }, { authorization });
    await t.relay.set(options);
    await (await ask()).text();
    const get = spyOn(pieces, 'getAll');
    expect((await ask()).status).toBe(status);
    expect(get).not.toHaveBeenCalled();
    get.mockRestore();
    await t.relay.set({ UserRequestsPerMinute: 0 });
  });

  it('costs nothing where one account alone can have sealed it', async () => {
    const { pieces } = t.relay.api.deps.relay;
    channels.alone = await t.relay.addChannel({
      type: 3,
      base_url: t.base,
      models: 'gpt-6.2-sol',
      key: 'alone',
    });
    const [put, get] = [spyOn(pieces, 'put'), spyOn(pieces, 'getAll')];
    const turn = talk({ key: await newcomer() });
    const told = [await turn('alone', 'gpt-6.2-sol'), await turn('alone', 'gpt-6.2-sol')];
    expect(told.map(({ sealers }) => sealers)).toEqual([[], ['alone gpt-6.2-sol']]);
    expect(put.mock.calls.filter(([name]) => name.startsWith('seal:'))).toEqual([]);
    expect(get.mock.calls.flatMap(([names]) => names).filter((name) => name.startsWith('seal:'))).toEqual([]);
    for (const spy of [put, get]) spy.mockRestore();
  });
});

it('what was carried before there were marks still goes up', async () => {
  const seal = `gAAAAAB${'y'.repeat(50)}`;
  writers.set(seal, `a ${MODEL}`);
  const carried = carry({ origin: 'openai-responses', encrypted: seal, id: 'rs_old' }) ?? '';
  const content = [
    { type: 'thinking', thinking: '', signature: carried },
    { type: 'text', text: 'ho' },
  ];
  const messages = ['hi', content, 'so'].map((said, n) => ({
    role: n === 1 ? 'assistant' : 'user',
    content: said,
  }));
  const pinned = { authorization: `Bearer ${admins}-${channels.a}` };
  const body = { model: MODEL, max_tokens: 500, tools: [{ name: 'f', input_schema: parameters }], messages };
  const response = await t.post('/v1/messages', body, pinned);
  await response.text();
  expect([response.status, sealsIn(t.lastSeen.body)]).toEqual([200, [seal]]);
});

/** As OpenAI, LiteLLM's users and Azure's have it. */
const WORDINGS: [message: string, code: string | null][] = [
  ['The encrypted content gAAA...DQ== could not be verified.', 'invalid_encrypted_content'],
  [
    'The encrypted content for item rs_1 could not be verified. Reason: Encrypted content organization_id did not match the target organization.',
    'invalid_encrypted_content',
  ],
  [
    'The encrypted content gAAA...wXBV could not be verified. Reason: It could not be decrypted or parsed.',
    null,
  ],
];

const HI: JsonObject = { role: 'user', content: 'hi' };
const CALL: JsonObject = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
const RESULT: JsonObject = { type: 'function_call_output', call_id: 'call_1', output: 'r' };

describe.each(WORDINGS)('a caller of Responses whose seal is refused: %s', (message, code) => {
  const input = [
    HI,
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABanother' },
    { ...CALL, id: 'fc_1' },
    RESULT,
  ];
  /** What the caller is told of a call, and what each account was asked with. */
  async function ask(more: JsonObject, isPinned: boolean) {
    const before = t.seen.length;
    const authorization = `Bearer ${isPinned ? `${admins}-${channels.a}` : t.relay.key}`;
    const response = await t.post('/v1/responses', { model: MODEL, input, ...more }, { authorization });
    const text = await response.text();
    const asked = t.seen.slice(before).map(({ body }) => itemsIn(body));
    return { status: response.status, text, lost: response.headers.get('x-gateway-lost'), asked };
  }
  const without = [HI, CALL, RESULT];

  it.each([false, true])('is answered without it, streamed %p', async (stream) => {
    t.answers(({ body }) => (sealsIn(body).length > 0 ? refused(message, code) : answered(stream)));
    const { status, asked, lost } = await ask({ stream }, true);
    expect([status, lost]).toEqual([200, 'thinking']);
    expect(asked).toEqual([input, without]);
  });

  it('hears what else is lost with it, up to what he has said', async () => {
    t.answers(({ body }) => (sealsIn(body).length > 0 ? refused(message, code) : answered(false)));
    const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' };
    const { lost, asked } = await ask({ input: [input[1] ?? HI, picture, HI, picture] }, true);
    expect([lost, asked.at(-1)]).toEqual(['thinking, image_generation_call', [HI, picture]]);
  });

  it('is told so where this does not help either, or was done too often, and no key is to blame', async () => {
    t.answers(() => refused(message, code));
    const { retries, unopened } = t.relay.api.deps.relay;
    const others = spyOn(retries.of(t.relay.user.id), 'spend');
    const again = await ask({}, false);
    const left = spyOn(unopened.of(t.relay.user.id), 'spend').mockReturnValue(false);
    const once = await ask({}, false);
    expect([again.status, again.asked, once.status, once.asked]).toEqual([
      400,
      [input, without],
      400,
      [input],
    ]);
    expect(again.text).not.toContain('organization');
    expect(others).not.toHaveBeenCalled();
    others.mockRestore();
    // Whoever brings such thoughts with each call has none left, and everybody else has his own.
    t.answers(({ body }) => (sealsIn(body).length > 0 ? refused(message, code) : answered(false)));
    expect([(await ask({}, false)).status, (await ask({}, true)).status]).toEqual([400, 200]);
    left.mockRestore();
  });
});
