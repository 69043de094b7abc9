/** An answer that OpenAI ends for what was asked: whoever else is asked would end it, too, so that nobody is. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const MODEL = 'gpt-6.2-astra';
/** Of one channel. */
const ALONE = 'gpt-6.1-astra';
/** Of two each, whose accounts rest after it. */
const BUSY = ['gpt-6.3-astra', 'gpt-6.4-astra'] as const;
const RESPONSE = { id: 'resp_1', object: 'response', model: MODEL, output: [] };

let t: Operations;

beforeAll(async () => {
  t = await openOperations();
  const setting = JSON.stringify({ proxy: t.base });
  const openai = { type: 1, base_url: 'http://api.openai.com', setting, models: MODEL };
  for (const models of [MODEL, ...BUSY]) {
    for (let n = 0; n < 2; n++) await t.relay.addChannel({ ...openai, models });
  }
  await t.relay.addChannel({ ...openai, models: ALONE });
  await t.price({ ModelRatio: { [ALONE]: 1, [BUSY[0]]: 1, [BUSY[1]]: 1 } });
  await t.relay.setBalance(5_000_000);
});

afterAll(() => t.close());

const failed = (code: string): JsonObject => ({
  ...RESPONSE,
  status: 'failed',
  error: { code, message: 'This content was flagged.' },
});

const asStream = (code: string, ...before: JsonObject[]) =>
  eventStream([
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } },
    ...before,
    { type: 'response.failed', response: failed(code) },
  ]);

/** By this model's tools each caller goes by Responses. */
const f = { name: 'f', parameters: { type: 'object', properties: {} } };
const messages = [{ role: 'user', content: 'hi' }];
type Ask = (stream: boolean) => [path: string, body: JsonObject];
const ASKS = {
  responses: (stream) => ['/v1/responses', { model: MODEL, stream, input: 'hi' }],
  chat: (stream) => [
    '/v1/chat/completions',
    { model: MODEL, stream, messages, tools: [{ type: 'function', function: f }] },
  ],
  messages: (stream) => [
    '/v1/messages',
    { model: MODEL, stream, messages, max_tokens: 99, tools: [{ name: 'f', input_schema: f.parameters }] },
  ],
  gemini: (stream) => [
    `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: [{ functionDeclarations: [f] }] },
  ],
} satisfies Record<string, Ask>;

/** `streams`: its upstream streams it, whether or not its caller does. */
async function ask(ask: Ask, code: string, stream: boolean, streams = stream) {
  let asked = 0;
  t.answers(() => {
    asked++;
    return streams ? asStream(code) : Response.json(failed(code));
  });
  const answer = await t.post(...ask(stream));
  return { asked, status: answer.status, body: (await answer.json()) as { error: { code: string } } };
}

const REFUSALS = [
  'invalid_prompt',
  'context_length_exceeded',
  'bio_policy',
  'cyber_policy',
  'misalignment_policy_violation',
  'image_too_large',
  'failed_to_download_image',
];

it.each(REFUSALS.flatMap((code) => [true, false].map((stream) => ({ code, stream }))))(
  'asks nobody else and says why: %j',
  async ({ code, stream }) => {
    const { body, ...told } = await ask(ASKS.responses, code, stream);
    expect({ ...told, code: body.error.code }).toEqual({ asked: 1, status: 400, code });
  },
);

it.each(['chat', 'messages', 'gemini'] as const)(
  'nor for a caller of %s, streamed to him or not',
  async (by) => {
    for (const stream of [true, false]) {
      expect(await ask(ASKS[by], 'bio_policy', stream, true)).toMatchObject({ asked: 1, status: 400 });
    }
  },
);

it.each([
  { stream: true, model: BUSY[0] },
  { stream: false, model: BUSY[1] },
])('asks the next account where one is asked too often: %j', async ({ stream, model }) => {
  const asks: Ask = () => ['/v1/responses', { model, stream, input: 'hi' }];
  const { asked, status } = await ask(asks, 'rate_limit_exceeded', stream);
  expect({ asked, status }).toEqual({ asked: 2, status: 429 });
});

it.each([true, false])(
  'asks the next one where its upstream has failed by itself (stream: %p)',
  async (stream) => {
    expect((await ask(ASKS.responses, 'server_error', stream)).asked).toBe(2);
  },
);

it('says the same of its channel in a stream that has begun', async () => {
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Well' };
  const { breakers } = t.relay.api.deps.relay;
  const before = breakers.openCount;
  t.answers(() => asStream('bio_policy', delta));
  const [path, body] = ASKS.chat(true);
  for (let n = 0; n < 5; n++) await (await t.post(path, { ...body, model: ALONE })).text();
  expect(breakers.openCount).toBe(before);
});

it.each([
  ['responses', 'bio_policy'],
  ['chat', 'bio_policy'],
  ['responses', 'cyber_policy'],
] as const)('tells the code, too, in a stream that has begun: %s, %s', async (by, code) => {
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Well' };
  t.answers(() => asStream(code, delta));
  const [path, body] = ASKS[by](true);
  const text = await (await t.post(path, body)).text();
  expect(text).toContain(`"code":"${code}"`);
  expect(text).not.toContain('server_error');
});
