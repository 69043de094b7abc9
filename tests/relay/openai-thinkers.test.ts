/**
 * What callers ask of OpenAI's thinking models, at an upstream that refuses what OpenAI refuses, in its own words: of an
 * organisation that has not proved who it is.
 */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf } from '../../src/dialects/fields.ts';
import { type OperationSeen, type Operations, openOperations } from '../support/operations.ts';

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';

let t: Operations;
let isVerified = false;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0, SelfUseModeEnabled: true });
  const place = { type: 1, base_url: 'http://api.openai.com', setting: JSON.stringify({ proxy: t.base }) };
  const models =
    'gpt-5.2,gpt-5.4,gpt-5.5,gpt-5.6-terra,gpt-6-sol,gpt-6.1-sol,gpt-6.2-sol,gpt-5-codex,openai/gpt-5.5';
  await t.relay.addChannel({ ...place, models });
  const fields = (effort: string) => JSON.stringify({ reasoning_effort: effort });
  await t.relay.addChannel({ ...place, models: 'gpt-5.6-luna', param_override: fields('none') });
  await t.relay.addChannel({ ...place, models: 'gpt-6-luna', param_override: fields('high') });
  await t.relay.addChannel({ ...place, models: 'gpt-5.4-mini', param_override: fields('high') });
  await t.relay.addChannel({ ...place, models: 'gpt-5.6-sol', param_override: JSON.stringify(FOR_CHAT) });
  const reasoning = JSON.stringify({ reasoning: { effort: 'none' } });
  await t.relay.addChannel({ ...place, models: 'gpt-6.1-terra', param_override: reasoning });
  await t.relay.setBalance(500_000_000);
  t.answers(answer);
});
afterAll(() => t.close());

const refusal = (message: string, param: string) =>
  Response.json({ error: { message, type: 'invalid_request_error', param, code: null } }, { status: 400 });

/** What an operator has written for Chat, before his models were asked by another call. */
const FOR_CHAT: JsonObject = {
  verbosity: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'said', schema: { type: 'object' } } },
  seed: 1,
  stop: ['.'],
  prompt_cache_key: 'ours',
};
const CHATS_ALONE = ['verbosity', 'response_format', 'seed', 'stop'];
const SILENT = /^gpt-5\.[1-4](?![a-z\d])/;
const ALWAYS_THINKS = /codex|^gpt-6(\.1-sol|\.2)/;
const HAS_MAX = /^gpt-(5\.6|6)/;

function answer({ path, body }: OperationSeen): Response {
  const model = String(body.model);
  const isResponses = path === RESPONSES;
  const reasoning = objectOf(body.reasoning);
  const effort =
    (isResponses ? reasoning?.effort : body.reasoning_effort) ?? (SILENT.test(model) ? 'none' : 'medium');
  if (isResponses && 'reasoning_effort' in body)
    return refusal("this parameter has moved to 'reasoning.effort'", 'reasoning_effort');
  if (
    effort === 'minimal' ||
    (effort === 'none' && ALWAYS_THINKS.test(model)) ||
    (effort === 'max' && !HAS_MAX.test(model))
  )
    return refusal(`does not support '${effort}' with this model`, 'reasoning_effort');
  if (
    !isResponses &&
    Array.isArray(body.tools) &&
    body.tools.length > 0 &&
    (effort !== 'none' || ALWAYS_THINKS.test(model))
  )
    return refusal('Function tools with reasoning_effort are not supported', 'reasoning_effort');
  for (const field of CHATS_ALONE)
    if (isResponses && field in body) return refusal(`Unsupported parameter: '${field}'`, field);
  for (const field of ['temperature', 'top_p', 'logprobs', 'top_logprobs'])
    if (effort !== 'none' && field in body) return refusal(`Unsupported parameter: '${field}'`, field);
  if (effort !== 'none' && JSON.stringify(body.include ?? []).includes('logprobs'))
    return refusal('logprobs are not supported with reasoning models', 'include');
  if (!isVerified && reasoning?.summary)
    return refusal('Your organization must be verified to generate reasoning summaries', 'reasoning.summary');
  return Response.json(
    isResponses
      ? {
          id: 'r',
          object: 'response',
          created_at: 1,
          model,
          status: 'completed',
          output: [TEXT],
          usage: USAGE,
        }
      : { id: 'c', object: 'chat.completion', created: 1, model, choices: [CHOICE], usage: CHAT_USAGE },
  );
}

const TEXT = {
  type: 'message',
  id: 'm',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Yes.' }],
};
const USAGE = { input_tokens: 9, output_tokens: 2, total_tokens: 11 };
const CHOICE = { index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' };
const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };

const parameters = { type: 'object', properties: { at: { type: 'string' } } };
type Call = readonly [path: string, body: JsonObject];

const said = [{ role: 'user', content: 'Is it?' }];
const chat = (model: string, more: JsonObject = {}): Call => [
  CHAT,
  { model, messages: said, tools: [{ type: 'function', function: { name: 'f', parameters } }], ...more },
];
const messages = (model: string, more: JsonObject = {}): Call => [
  '/v1/messages',
  { model, messages: said, max_tokens: 5000, tools: [{ name: 'f', input_schema: parameters }], ...more },
];
const gemini = (model: string, generationConfig: JsonObject): Call => [
  `/v1beta/models/${model}:generateContent`,
  {
    contents: [{ role: 'user', parts: [{ text: 'Is it?' }] }],
    tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
    generationConfig,
  },
];
const responses = (model: string, more: JsonObject): Call => [RESPONSES, { model, input: 'Is it?', ...more }];

const atEffort = (effort: string) => ({ reasoning: { effort } });

it.each<[of: string, call: Call, path: string, sent: JsonObject]>([
  // Sampling stays behind where it thinks, and goes up where it does not.
  ['temperature', chat('gpt-5.6-terra', { temperature: 0.7 }), RESPONSES, {}],
  ['top_p', chat('gpt-6-sol', { top_p: 0.9 }), RESPONSES, {}],
  ['logprobs', chat('gpt-5.5', { logprobs: true, top_logprobs: 2 }), RESPONSES, {}],
  ["Messages' temperature", messages('gpt-5.6-terra', { temperature: 0 }), RESPONSES, {}],
  ["Gemini's temperature", gemini('gpt-6-sol', { temperature: 0.4 }), RESPONSES, {}],
  ['temperature of Codex', chat('gpt-5-codex', { temperature: 0.7, tools: [] }), RESPONSES, {}],
  ['temperature without tools', chat('gpt-5.5', { temperature: 1, tools: [] }), CHAT, {}],
  ['temperature of a maker', chat('openai/gpt-5.5', { temperature: 1, tools: [] }), CHAT, {}],
  ['logprobs without tools', chat('gpt-5.5', { logprobs: true, top_logprobs: 2, tools: [] }), CHAT, {}],
  [
    'Responses',
    responses('gpt-6-sol', { top_p: 0.5, include: ['message.output_text.logprobs'] }),
    RESPONSES,
    {},
  ],
  ['Responses at none', responses('gpt-5.2', { temperature: 0.2 }), RESPONSES, { temperature: 0.2 }],
  [
    'temperature at none',
    chat('gpt-5.6-terra', { temperature: 0.7, reasoning_effort: 'none' }),
    CHAT,
    { temperature: 0.7, reasoning_effort: 'none' },
  ],
  // Efforts that names ask for.
  ['a name', chat('gpt-5.4-high'), RESPONSES, atEffort('high')],
  ["Messages' name", messages('gpt-5.2-medium'), RESPONSES, atEffort('medium')],
  ['a name for less than there is', chat('gpt-5.6-terra-minimal'), RESPONSES, atEffort('low')],
  ['a name for none where it is none', chat('gpt-6.2-sol-none'), RESPONSES, atEffort('low')],
  ['a name for none', chat('gpt-5.6-terra-none'), CHAT, { reasoning_effort: 'none' }],
  // Efforts that callers ask for.
  ['none', chat('gpt-6.1-sol', { reasoning_effort: 'none' }), RESPONSES, atEffort('low')],
  [
    "Messages' none",
    messages('gpt-6-sol', { thinking: { type: 'disabled' } }),
    CHAT,
    { reasoning_effort: 'none' },
  ],
  ['max', chat('gpt-5.6-terra', { reasoning_effort: 'max' }), RESPONSES, atEffort('max')],
  ['max before its time', chat('gpt-5.4', { reasoning_effort: 'max' }), RESPONSES, atEffort('xhigh')],
  ['low', chat('gpt-5.4', { reasoning_effort: 'low' }), RESPONSES, atEffort('low')],
  // Efforts that channels ask for.
  ["a channel's none", chat('gpt-5.6-luna'), CHAT, { reasoning_effort: 'none' }],
  ["a channel's none over a caller's", chat('gpt-5.6-luna', { reasoning_effort: 'low' }), CHAT, {}],
  ["a channel's none for Messages", messages('gpt-5.6-luna'), CHAT, { reasoning_effort: 'none' }],
  ["a channel's none in the words of Responses", chat('gpt-6.1-terra'), RESPONSES, atEffort('none')],
  ["a channel's high", chat('gpt-6-luna', { temperature: 1 }), RESPONSES, atEffort('high')],
  // What channels say for Chat.
  ["a channel's words for Chat", chat('gpt-5.6-sol', { tools: [] }), CHAT, FOR_CHAT],
  [
    "a channel's words for Chat in those of Responses",
    chat('gpt-5.6-sol', { verbosity: 'high' }),
    RESPONSES,
    {
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'said', schema: { type: 'object' }, strict: false },
      },
      prompt_cache_key: 'ours',
    },
  ],
  // Nobody asks to see thoughts, or to think.
  ['adaptive', messages('gpt-5.4', { thinking: { type: 'adaptive' } }), CHAT, {}],
  ['includeThoughts', gemini('gpt-5.4', { thinkingConfig: { includeThoughts: true } }), CHAT, {}],
  [
    "Gemini's budget",
    gemini('gpt-6-sol', { thinkingConfig: { thinkingBudget: 9000 } }),
    RESPONSES,
    atEffort('medium'),
  ],
  ['no more than tools', chat('gpt-5.4', { temperature: 0.7 }), CHAT, { temperature: 0.7 }],
])('%s: is served', async (_of, [path, body], upstream, sent) => {
  const response = await t.post(path, body);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Yes.')]);
  expect(t.lastSeen.path).toBe(upstream);
  expect(t.lastSeen.body).toMatchObject(sent);
});

describe('where calls pass as they came', () => {
  beforeAll(() => t.relay.set({ 'global.pass_through_request_enabled': true }));
  afterAll(() => t.relay.set({ 'global.pass_through_request_enabled': false }));

  it.each<[of: string, call: Call, path: string, sent: JsonObject]>([
    ["nothing of a channel's", chat('gpt-5.4-mini', { temperature: 1 }), CHAT, { temperature: 1 }],
    ["a channel's high in other words", messages('gpt-5.4-mini'), RESPONSES, atEffort('high')],
    ["Gemini's with sampling", gemini('gpt-5.4-mini', { temperature: 1 }), RESPONSES, atEffort('high')],
    ["a channel's none", messages('gpt-5.6-luna'), CHAT, { reasoning_effort: 'none' }],
    ["a channel's none where it would not pass", chat('gpt-5.6-luna'), CHAT, { reasoning_effort: 'none' }],
  ])('%s goes up', async (_of, [path, body], upstream, sent) => {
    const response = await t.post(path, body);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Yes.')]);
    expect(t.lastSeen.path).toBe(upstream);
    expect(t.lastSeen.body).toMatchObject(sent);
  });
});

it('what a channel says that Responses has no words for is told to its operator, and once', async () => {
  const warned = spyOn(t.relay.api.deps.relay.log, 'warn');
  const channel = { type: 1, base_url: 'http://api.openai.com', setting: JSON.stringify({ proxy: t.base }) };
  const param_override = JSON.stringify(FOR_CHAT);
  const channel_id = await t.relay.addChannel({ ...channel, models: 'gpt-6-astra', param_override });
  for (const more of [{ tools: [] }, {}, {}]) {
    const response = await t.post(...chat('gpt-6-astra', more));
    await response.text();
    expect([response.status, response.headers.get('x-gateway-lost')]).toEqual([200, null]);
  }
  const told = warned.mock.calls.filter(([event]) => event === 'relay.param_override');
  expect(told).toEqual([['relay.param_override', { channel_id, left_out: ['seed', 'stop'] }]]);
  warned.mockRestore();
});

it.each<[of: string, call: Call]>([
  ['Messages', messages('gpt-6-sol', { thinking: { type: 'adaptive' } })],
  ['Gemini', gemini('gpt-6-sol', { thinkingConfig: { includeThoughts: true } })],
  ['chats', chat('gpt-6-sol', { include_reasoning: true })],
])('%s that ask to see thoughts see a summary', async (_of, [path, body]) => {
  isVerified = true;
  await (await t.post(path, body)).text();
  isVerified = false;
  expect(t.lastSeen.body.reasoning).toMatchObject({ summary: 'auto' });
});
