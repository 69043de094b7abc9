/** What an upstream says of the operator's account: it acts on the channel, and callers never read it. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { requestFacts } from '../../src/dialects/prompt.ts';
import type { Alert } from '../../src/modules/alert/service.ts';
import { judged } from '../../src/relay/attempt/judged.ts';
import { type Failure, failureOfStatus } from '../../src/relay/attempt/outcome.ts';
import { patience } from '../support/patience.ts';
import { connect, startRealtime } from '../support/realtime.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const CREDIT = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.',
  },
};
const HARD_LIMIT = {
  error: {
    message: 'Billing hard limit has been reached',
    type: 'invalid_request_error',
    param: null,
    code: 'billing_hard_limit_reached',
  },
};
const FAILED = {
  status: 'failed',
  error: { code: 'insufficient_quota', message: 'You exceeded your current quota, check your plan' },
};
const UNVERIFIED = {
  error: {
    message:
      'Your organization must be verified to use the model `o3`, see https://platform.openai.com/settings/organization',
    type: 'invalid_request_error',
    param: 'model',
    code: 'unsupported_value',
  },
};
const WHOLE = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'well' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
/** Words that would tell a caller whose trouble it is. */
const TELLING = /credit|billing|balance|organi|hard.limit|upgrade|quota|plan/i;

let relay: TestRelay;
let server: Bun.Server<undefined>;
/** What the upstream of a model answers: a status and a body, or the frames of a stream. */
const script = new Map<string, (body: JsonObject) => Response>();
const asked: string[] = [];
const alerts: Alert[] = [];
let models = 0;

beforeAll(async () => {
  relay = await openTestRelay();
  // A file that is elsewhere is held for as a whole context.
  await relay.setBalance(5_000_000);
  relay.api.deps.relay.alerts.send = (alert) => void alerts.push(alert);
  const { changes } = relay.api.deps.relay;
  const { commit } = changes;
  changes.commit = (work) => {
    const written = commit(work);
    writes.push(written);
    return written;
  };
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url);
      const [, place = '', ...path] = url.pathname.split('/');
      asked.push(place);
      return (
        script.get(place)?.(request.method === 'POST' ? await request.json() : {}) ?? Response.json({ path })
      );
    },
  });
  const names = Array.from({ length: 140 }, (_, i) => [`m-${i}`, 1]);
  await relay.set({
    AutomaticDisableChannelEnabled: true,
    ModelRatio: Object.fromEntries([...names, ['gpt-realtime', 1]]),
  });
});
afterAll(async () => {
  await server.stop(true);
  await relay.close();
});

/** A model of its own with one channel a script, the first of them before the others. */
async function serve(type: number, ...scripts: ((body: JsonObject) => Response)[]) {
  const model = `m-${models++}`;
  const ids: number[] = [];
  for (const [n, answer] of scripts.entries()) {
    script.set(`${model}-${n}`, answer);
    const base_url = `http://127.0.0.1:${server.port}/${model}-${n}`;
    ids.push(await relay.addChannel({ type, models: model, base_url, priority: -n }));
  }
  return { model, ids, countOf: (n: number) => asked.filter((place) => place === `${model}-${n}`).length };
}

const says = (status: number, body: object) => () => Response.json(body, { status });
const frames = (...events: object[]) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  });
const well = () => Response.json(WHOLE);

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(relay.base + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${relay.key}`,
      'x-api-key': relay.key,
      ...headers,
    },
    body: JSON.stringify(body),
  });
const messages = [{ role: 'user', content: 'hi' }];

/** What the log says in Chinese of the only call of a model. */
async function logOf(model: string): Promise<string> {
  for (const until = performance.now() + patience(10_000); performance.now() < until; await Bun.sleep(10)) {
    const row = (await relay.logs()).find(({ model_name }) => model_name === model);
    if (row) return row.other.text?.zh ?? row.content;
  }
  throw new Error(`no log of ${model}`);
}
const statusOf = async (id = 0): Promise<number> => (await relay.root.get(`/api/channel/${id}`)).data.status;
async function becomes(id: number | undefined, status: number): Promise<void> {
  for (const until = performance.now() + patience(10_000); performance.now() < until; await Bun.sleep(10)) {
    if ((await statusOf(id)) === status) return;
  }
  throw new Error(`channel ${id} has status ${await statusOf(id)}`);
}

/** What an answer means for its channel is done behind it: begun before the answer, and awaited here. */
const writes: Promise<unknown>[] = [];
async function stays(id: number | undefined): Promise<void> {
  await Promise.allSettled(writes);
  expect(await statusOf(id)).toBe(1);
}

describe('a bad request that is about the account', () => {
  it.each([
    ['Anthropic’s credit', 14, CREDIT],
    ['OpenAI’s hard limit', 1, HARD_LIMIT],
  ])('(%s) is asked elsewhere, and disables the channel', async (_, type, body) => {
    const { model, ids } = await serve(type, says(400, body), says(200, type === 14 ? ANTHROPIC : WHOLE));
    const answer = await relay.chat({ model });
    expect(answer.status).toBe(200);
    await becomes(ids[0], 3);
    const { other_info } = (await relay.root.get(`/api/channel/${ids[0]}`)).data;
    expect(JSON.parse(other_info).status_reason).toMatch(/credit balance|hard limit/i);
    expect(await statusOf(ids[1])).toBe(1);
  });

  it('is asked elsewhere where no word disables, and its channel stays', async () => {
    const { model, ids } = await serve(1, says(400, UNVERIFIED), well);
    expect((await relay.chat({ model })).status).toBe(200);
    expect(await statusOf(ids[0])).toBe(1);
  });

  it('keeps the last channel of a model, which root is told', async () => {
    const { model, ids } = await serve(14, says(400, CREDIT));
    expect((await relay.chat({ model })).status).toBe(502);
    for (const until = performance.now() + patience(10_000); performance.now() < until; await Bun.sleep(10)) {
      if (alerts.some(({ type, subject }) => type === 'channel_last' && subject === `channel:${ids[0]}`))
        break;
    }
    expect(alerts).toContainEqual(
      expect.objectContaining({ type: 'channel_last', subject: `channel:${ids[0]}` }),
    );
    expect(await statusOf(ids[0])).toBe(1);
  });

  it('of which the caller’s own words were repeated disables nothing, however he wrote them', async () => {
    const word = 'Your credit balance is too low';
    const echo = () => Response.json({ error: { message: `Unexpected value: ${word}` } }, { status: 400 });
    const { model, ids } = await serve(14, echo, says(200, ANTHROPIC));
    const calls: [object, Record<string, string>][] = [
      [{ messages: [{ role: 'user', content: word }] }, {}],
      [{ messages }, { 'anthropic-beta': word }],
      [{ messages: [{ role: 'user', content: `https://x.example/${encodeURIComponent(word)}` }] }, {}],
      [{ messages: [{ role: 'user', content: 'Ｙour credit\u00a0balance is\ntoo low' }] }, {}],
      // As JSON inside of JSON, each letter as its number: so arguments and results of tools stand.
      [
        {
          messages: [
            { role: 'user', content: JSON.stringify({ a: escaped(word) }).replaceAll('\\\\', '\\') },
          ],
        },
        {},
      ],
      [{ messages: [{ role: 'user', content: `{"a": "${escaped(word)}` }] }, {}],
    ];
    for (const [body, headers] of calls) {
      const answer = await post('/v1/messages', { model, max_tokens: 5, ...body }, headers);
      await answer.text();
    }
    await stays(ids[0]);
  });

  it.each(ADDRESSES)(
    'whose words may come from what the caller named disables nothing: %s',
    async (_, type, path, body) => {
      const said = { error: { message: `Error retrieving tools: 402 ${CREDIT.error.message}` } };
      const { model, ids, countOf } = await serve(type, says(400, said), says(200, WHOLE));
      await (await post(path, { model, ...body })).text();
      expect(countOf(0)).toBe(1);
      await stays(ids[0]);
    },
  );

  it('acts in calls of the caller’s own tools and from any site', async () => {
    const parameters = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { url: { type: 'string', description: 'like https://page.example' } },
    };
    const body = {
      messages: [
        { role: 'user', content: 'Read https://page.example // please' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c',
              type: 'function',
              function: { name: 'read', arguments: '{"url":"https://page.example"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: '{"from":"https://page.example"}' },
      ],
      tools: [{ type: 'function', function: { name: 'read', parameters } }],
    };
    const from = { referer: 'https://site.example/', origin: 'https://site.example' };
    const { model, ids } = await serve(14, says(400, CREDIT), says(200, ANTHROPIC));
    const answer = await post('/v1/chat/completions', { model, max_tokens: 5, ...body }, from);
    expect(answer.status).toBe(200);
    await becomes(ids[0], 3);
  });

  it('in the words of the caller’s own names is his mistake: told as it is, and asked once', async () => {
    const tools = ['get_billing_info', 'account_balance', 'list-api-key', 'your_organization'];
    for (const name of tools) {
      const message = `Invalid schema for function '${name}': in context=('properties', 'credit_balance'), ${name}.credit_balance is not of type string`;
      const { model, countOf } = await serve(1, says(400, { error: { message, type: 'x' } }), well);
      const parameters = { type: 'object', properties: { credit_balance: { type: 'strin' } } };
      const answer = await post('/v1/chat/completions', {
        model,
        messages,
        tools: [{ type: 'function', function: { name, parameters } }],
      });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(name);
      expect([countOf(0), countOf(1)]).toEqual([1, 0]);
    }
  });

  it('that repeats what the caller wrote, or names his field, stays one, and is asked once', async () => {
    const echo = { error: { message: 'Unexpected value: my billing address is in your account' } };
    const field = { error: { message: 'The invoice is too long', param: 'messages[0].content', type: 'x' } };
    for (const said of [echo, field]) {
      const { model, countOf } = await serve(1, says(400, said), well);
      const content = 'my billing address is in your account';
      const answer = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] });
      expect(answer.status).toBe(400);
      expect([countOf(0), countOf(1)]).toEqual([1, 0]);
      const told = await logOf(model);
      expect(told.match(/上游服务拒绝了该请求/g)).toHaveLength(1);
    }
  });

  it('that names the model or the stream is about the account’s rights to it', async () => {
    const { error } = UNVERIFIED;
    for (const param of ['model', 'stream']) {
      const { model } = await serve(1, says(400, { error: { ...error, param } }), well);
      expect((await relay.chat({ model })).status).toBe(200);
    }
  });

  it('that names a field of the request disables nothing', async () => {
    const fieldError = { error: { message: 'Permission denied', param: 'messages[0].content', type: 'x' } };
    const { model, ids } = await serve(1, says(400, fieldError), well);
    await relay.chat({ model });
    await stays(ids[0]);
  });
});

it('a dead key disables the last channel of a model all the same', async () => {
  const { model, ids } = await serve(1, says(401, { error: { message: 'no', code: 'invalid_api_key' } }));
  expect((await relay.chat({ model })).status).toBe(502);
  await becomes(ids[0], 3);
});

const escaped = (text: string): string =>
  Array.from(text, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** What an upstream fetches, or asks, because the caller names it. */
const ADDRESSES: [string, number, string, object][] = [
  [
    'a tool server of Anthropic’s wire',
    14,
    '/v1/messages',
    { max_tokens: 5, messages, mcp_servers: [{ type: 'url', name: 'n', url: 'https://mcp.example/sse' }] },
  ],
  [
    'a tool server of Responses',
    1,
    '/v1/responses',
    { input: 'hi', tools: [{ type: 'mcp', server_label: 'n', server_url: 'https://mcp.example' }] },
  ],
  [
    'a picture by address',
    1,
    '/v1/chat/completions',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'HTTP://pic.example/a.png' } }] },
      ],
    },
  ],
  [
    'a page that the prompt names to a tool',
    1,
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 'read ftp://page.example' }], web_search_options: {} },
  ],
  [
    'an address inside of JSON, escaped',
    1,
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: '{"a":"https:\\/\\/page.example"}' }], web_search_options: {} },
  ],
];

it('Gemini’s 403 disables the channel', async () => {
  const denied = {
    error: { code: 403, status: 'PERMISSION_DENIED', message: 'Your API key was reported as leaked.' },
  };
  const { model, ids } = await serve(24, says(403, denied));
  const content = [{ type: 'image_url', image_url: { url: 'https://pic.example/a.png' } }];
  expect((await relay.chat({ model, messages: [{ role: 'user', content }] })).status).toBe(502);
  await becomes(ids[0], 3);
});

describe('a bare 403 of Google’s', () => {
  const denied = (details: object[] = []) =>
    says(403, {
      error: {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: 'The caller does not have permission',
        details,
      },
    });
  const reason = (name: string, service = 'generativelanguage.googleapis.com') => ({
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: name,
    domain: 'googleapis.com',
    metadata: { service },
  });
  const fileUri = 'https://generativelanguage.example/v1beta/files/somebody-elses';
  const asks = (model: string) =>
    post(`/v1beta/models/${model}:generateContent`, {
      contents: [{ parts: [{ text: 'hi' }, { fileData: { mimeType: 'text/plain', fileUri } }] }],
    });

  it('says nothing of key and channel where the caller names a file, however often', async () => {
    const bare = denied([reason('CONSUMER_SUSPENDED', 'storage.googleapis.com')]);
    const { model, ids, countOf } = await serve(24, bare, denied());
    for (let calls = 1; calls <= 8; calls++) {
      expect((await asks(model)).status).toBe(502);
      // It does not rest either.
      expect(countOf(0)).toBe(calls);
    }
    await stays(ids[0]);
  });

  it.each([
    { enterpriseWebSearch: {} },
    { googleMaps: {} },
    { codeExecution: {} },
    { google_search: {} },
    { computerUse: { environment: 'ENVIRONMENT_BROWSER' } },
  ])('says nothing of key and channel where tools of the vendor are run: %j', async (tool) => {
    const { model, ids, countOf } = await serve(24, denied());
    const contents = [{ parts: [{ text: 'hi' }] }];
    for (let calls = 1; calls <= 3; calls++) {
      const asked = { contents, tools: [tool] };
      expect((await post(`/v1beta/models/${model}:generateContent`, asked)).status).toBe(502);
      expect(countOf(0)).toBe(calls);
    }
    await stays(ids[0]);
  });

  it('is sure where the caller runs his tools himself', async () => {
    const { model, ids } = await serve(24, denied());
    const tools = [{ functionDeclarations: [{ name: 'f' }] }];
    const contents = [{ parts: [{ text: 'hi' }] }];
    await post(`/v1beta/models/${model}:generateContent`, { contents, tools });
    await becomes(ids[0], 3);
  });

  it.each(['CONSUMER_SUSPENDED', 'SERVICE_DISABLED', 'BILLING_DISABLED', 'API_KEY_SERVICE_BLOCKED'])(
    'is sure with the reason %s, whatever the caller names',
    async (name) => {
      const { model, ids } = await serve(24, denied([reason(name)]));
      expect((await asks(model)).status).toBe(502);
      await becomes(ids[0], 3);
    },
  );

  it.each(['hi', 'What is https://page.example about?'])(
    'is sure where nothing is named: %s',
    async (content) => {
      const { model, ids } = await serve(24, denied());
      expect((await relay.chat({ model, messages: [{ role: 'user', content }] })).status).toBe(502);
      await becomes(ids[0], 3);
    },
  );
});

it.each([
  [424, 'x'],
  [403, 'permission_error'],
])('a %i of what the caller named neither rests nor disables the channel', async (status, type) => {
  const { model, ids, countOf } = await serve(1, says(status, { error: { message: 'no', type } }), well);
  for (let calls = 1; calls <= 8; calls++) {
    const tools = [{ type: 'mcp', server_label: 'n', server_url: 'https://mcp.example' }];
    await (await post('/v1/responses', { model, input: 'hi', tools })).text();
    expect(countOf(0)).toBe(calls);
  }
  expect(await statusOf(ids[0])).toBe(1);
});

const ANTHROPIC = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'x',
  content: [{ type: 'text', text: 'well' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'w' } }] };
const started = [
  { type: 'message_start', message: { ...ANTHROPIC, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'w' } },
];

/** Every surface, by the body that asks a model. */
const SURFACES: [string, (model: string, stream: boolean) => [string, object]][] = [
  ['chat', (model, stream) => ['/v1/chat/completions', { model, stream, messages }]],
  ['messages', (model, stream) => ['/v1/messages', { model, stream, messages, max_tokens: 9 }]],
  ['responses', (model, stream) => ['/v1/responses', { model, stream, input: 'hi' }]],
  [
    'gemini',
    (model, stream) => [
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ parts: [{ text: 'hi' }] }] },
    ],
  ],
];
const TROUBLES: [string, number, () => Response][] = [
  ['a 400 of Anthropic’s', 14, says(400, CREDIT)],
  ['a 400 of OpenAI’s', 1, says(400, HARD_LIMIT)],
  ['an unverified organisation', 1, says(400, UNVERIFIED)],
  ['a 404 about the project', 1, says(404, { error: { message: 'Your project has no billing account' } })],
  [
    'a 500 that tells of the bill',
    1,
    says(500, { error: { message: 'quota of your organization exceeded' } }),
  ],
  [
    'a 429 for the quota',
    1,
    says(429, { error: { message: 'You exceeded your current quota', type: 'insufficient_quota' } }),
  ],
  ['a 200 that is an error', 1, says(200, HARD_LIMIT)],
  ['a 200 with an error in one string', 1, says(200, { error: 'insufficient balance, please top up' })],
  ['a whole answer that failed', 1, says(200, { ...FAILED, object: 'response', id: 'r', output: [] })],
  ['a stream that failed', 1, () => frames({ type: 'response.failed', response: FAILED })],
  ['a stream with an error in one string', 1, () => frames(chunk, { error: 'insufficient balance' })],
  ['an error before the content', 1, () => frames(HARD_LIMIT)],
  ['an error after content, of OpenAI’s', 1, () => frames(chunk, HARD_LIMIT)],
  ['an error after content, of Anthropic’s', 14, () => frames(...started, CREDIT)],
];

describe.each(SURFACES)('on the surface %s', (_, of) => {
  it.each(TROUBLES)('%s tells the caller nothing of the account', async (_name, type, answer) => {
    const { model } = await serve(type, answer);
    const before = (await relay.logs()).length;
    for (const stream of [false, true]) {
      for (const said of ['hi', 'my credit balance is too low, Your credit balance is too low']) {
        const [path, body] = of(model, stream);
        const answered = await post(
          path,
          JSON.parse(JSON.stringify(body).replaceAll('"hi"', JSON.stringify(said))),
        );
        expect(await answered.text()).not.toMatch(TELLING);
      }
    }
    for (const { content, other } of (await relay.logs()).slice(before)) {
      expect(content).not.toMatch(TELLING);
      expect(JSON.stringify({ ...other, admin_info: null })).not.toMatch(/credit|billing|organi|hard.limit/i);
    }
  });
});

it.each([
  ['/v1/embeddings', { input: 'hi' }],
  ['/v1/images/generations', { prompt: 'hi' }],
  ['/v1/audio/speech', { input: 'hi', voice: 'alloy' }],
  ['/v1/moderations', { input: 'hi' }],
  ['/v1/completions', { prompt: 'hi' }],
])('%s tells the caller nothing of the account', async (path, body) => {
  const { model } = await serve(1, says(400, HARD_LIMIT));
  const answer = await post(path, { model, ...body });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(await answer.text()).not.toMatch(TELLING);
});

it('nobody else is asked for who has given his place, whatever is told of the account', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const said = failureOfStatus(500, JSON.stringify(HARD_LIMIT), {}, null);
  const facts = requestFacts(openaiChat, body, {});
  const at = { headers: new Headers(), query: new URLSearchParams() };
  const request = { operation: 'chat', dialect: openaiChat, body, facts, ...at } as const;
  const asked = (failure: Failure) => judged(failure, request, relay.api.deps.relay).retryable;
  expect([asked(said), asked({ ...said, hasGivenWay: true })]).toEqual([true, false]);
});

it('a realtime session tells the caller nothing of the account, and his own mistakes as they are', async () => {
  const upstream = startRealtime();
  await relay.addChannel({ models: 'gpt-realtime', base_url: upstream.base });
  const opening = upstream.next();
  const client = await connect(`${relay.base}/v1/realtime?model=gpt-realtime`, {
    headers: { authorization: `Bearer ${relay.key}` },
  });
  const session = await opening;
  const { error } = HARD_LIMIT;
  session.send({ type: 'error', event_id: 'e1', error });
  session.send({
    type: 'response.done',
    event_id: 'e2',
    response: { id: 'r', status: 'failed', output: [], status_details: { type: 'failed', error } },
  });
  session.send({
    type: 'conversation.item.input_audio_transcription.failed',
    event_id: 'e3',
    item_id: 'i',
    error: {
      type: 'x',
      code: 'insufficient_quota',
      message: 'You exceeded your current quota, check your plan',
    },
  });
  const own = {
    type: 'error',
    event_id: 'e4',
    error: { type: 'invalid_request_error', code: 'x', message: 'bad voice' },
  };
  session.send(own);
  while (client.got.length < 5) await Bun.sleep(5);
  const text = JSON.stringify(client.got);
  expect(text).toContain('bad voice');
  expect(text).toContain('e3');
  expect(text).not.toMatch(/credit|billing|hard.limit|quota|plan/i);
  client.socket.close();
  await upstream.stop();
});
