/**
 * Answers of which their upstream tells that nothing was read and nothing written. No model does that: a gateway at an
 * operator's address has asked none, but some service that it pays (LiteLLM's search of a tool list that holds nothing
 * else), or does not tell. Vendors tell so of answers that they have kept (OpenRouter), which cost nobody anything.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    house: { type: 1, named: 'house' },
    'custom house': { type: 8, named: 'custom-house' },
    'house of Messages': { type: 14, named: 'house-messages' },
    'house of Gemini': { type: 24, named: 'house-gemini' },
    'house of vectors': { type: 1, named: 'text-embedding-3-small' },
    'house of pictures': { type: 1, named: 'gpt-image-1' },
    router: { type: 20, named: 'openai/gpt-4o-mini' },
    azure: { type: 3, named: 'deployed' },
  }));
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const MESSAGES = '/v1/messages';
const GEMINI = '/v1beta/models/MODEL:generateContent';
const PLAIN = '/v1/completions';
const SAID = [{ role: 'user', content: 'The price of copper, please' }];
const BODIES: Record<string, JsonObject> = {
  [CHAT]: { messages: SAID },
  [RESPONSES]: { input: 'The price of copper, please' },
  [MESSAGES]: { messages: SAID, max_tokens: 50 },
  [GEMINI]: { contents: [{ role: 'user', parts: [{ text: 'The price of copper, please' }] }] },
  [PLAIN]: { prompt: 'The price of copper, please' },
};
const OF_CHATS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const OF_OTHERS = { input_tokens: 0, output_tokens: 0 };
const OF_GEMINI = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };
const ANSWERS: Record<string, (text: string) => JsonObject> = {
  [CHAT]: (text) => chatAnswer(OF_CHATS, text),
  [RESPONSES]: (text) => responsesAnswer(OF_OTHERS, { text }),
  [MESSAGES]: (text) => messagesAnswer(OF_OTHERS, text),
  [GEMINI]: (text) => geminiAnswer(OF_GEMINI, text),
  [PLAIN]: (text) => ({ choices: [{ index: 0, text, finish_reason: 'stop' }], usage: OF_CHATS }),
};

async function ask(model: string, path: string, body: JsonObject, answer: JsonObject | (() => Response)) {
  t.answers(answer);
  const named = models[model] ?? '';
  const asked = path.includes('MODEL') ? body : { model: named, ...body };
  const said = await t.post(path.replace('MODEL', named), asked);
  expect(said.status).toBe(200);
  await said.text();
  return t.row();
}

const COUNTED = { type: 2, other: { usage_source: 'estimated' } };
const BELIEVED = { type: 2, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
const FOUND = 'Copper costs ten thousand dollars a ton.';

it.each([
  ['house', CHAT],
  ['custom house', CHAT],
  ['house', RESPONSES],
  ['house', PLAIN],
  ['house of Messages', MESSAGES],
  ['house of Messages', CHAT],
  ['house of Gemini', GEMINI],
])('what says something is counted here: %s at %s', async (model, path) => {
  const wire = model === 'house of Messages' ? MESSAGES : path;
  const row = await ask(model, path, BODIES[path] ?? {}, ANSWERS[wire]?.(FOUND) ?? {});
  expect(row).toMatchObject(COUNTED);
  expect(row.other).not.toHaveProperty('usage_suspect');
  expect(row.prompt_tokens).toBeWithin(4, 30);
  expect(row.completion_tokens).toBeWithin(4, 30);
  expect(row.quota).toBeGreaterThanOrEqual(row.prompt_tokens + row.completion_tokens);
});

it('a call of a tool says something', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const answer = chatAnswer(OF_CHATS, '', { tool_calls: [call] });
  expect((await ask('house', CHAT, BODIES[CHAT] ?? {}, answer)).completion_tokens).toBeGreaterThan(0);
});

const STREAMS: Record<string, JsonObject[]> = {
  [CHAT]: [
    { choices: [{ index: 0, delta: { role: 'assistant', content: FOUND }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: OF_CHATS },
  ],
  [MESSAGES]: [
    { type: 'message_start', message: { id: 'm', content: [], usage: OF_OTHERS } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: FOUND } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: OF_OTHERS },
    { type: 'message_stop' },
  ],
  [RESPONSES]: [
    { type: 'response.output_text.delta', output_index: 0, item_id: 'a', delta: FOUND },
    { type: 'response.completed', response: responsesAnswer(OF_OTHERS, { text: FOUND }) },
  ],
};

it.each([
  ['house', CHAT],
  ['house', RESPONSES],
  ['house of Messages', MESSAGES],
  ['house of Messages', CHAT],
])('so is a stream: %s at %s', async (model, path) => {
  const frames = STREAMS[model === 'house of Messages' ? MESSAGES : path] ?? [];
  const end = path === CHAT && model === 'house' ? ['[DONE]'] : [];
  const body = { ...BODIES[path], stream: true };
  const row = await ask(model, path, body, () => eventStream([...frames, ...end]));
  expect(row).toMatchObject({ ...COUNTED, other: { ...COUNTED.other, stream_end: 'done' } });
  expect(row.prompt_tokens).toBeWithin(4, 30);
  expect(row.completion_tokens).toBeWithin(4, 30);
});

it('what says nothing may have taken nothing', async () => {
  for (const path of [CHAT, RESPONSES]) {
    expect(await ask('house', path, BODIES[path] ?? {}, ANSWERS[path]?.('') ?? {})).toMatchObject(BELIEVED);
  }
  const frames = (STREAMS[CHAT] ?? []).slice(1);
  const body = { ...BODIES[CHAT], stream: true };
  expect(await ask('house', CHAT, body, () => eventStream([...frames, '[DONE]']))).toMatchObject(BELIEVED);
});

it.each(['router', 'azure'])('a vendor is believed, who may have kept it: %s', async (model) => {
  const path = model === 'azure' ? RESPONSES : CHAT;
  expect(await ask(model, path, BODIES[path] ?? {}, ANSWERS[path]?.(FOUND) ?? {})).toMatchObject(BELIEVED);
});

it('what was read from a cache is something', async () => {
  const answer = messagesAnswer({ ...OF_OTHERS, cache_read_input_tokens: 100 }, FOUND);
  const row = await ask('house of Messages', MESSAGES, BODIES[MESSAGES] ?? {}, answer);
  expect(row).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 0,
    other: { usage_source: 'upstream' },
  });
});

it('vectors and pictures are as they were', async () => {
  const vectors = { data: [{ index: 0, embedding: [0.1] }], usage: { prompt_tokens: 0, total_tokens: 0 } };
  expect(await ask('house of vectors', '/v1/embeddings', { input: 'copper' }, vectors)).toMatchObject(
    BELIEVED,
  );
  const pictures = { created: 1, data: [{ b64_json: 'aaaa', revised_prompt: 'Copper' }], usage: OF_OTHERS };
  expect(
    await ask('house of pictures', '/v1/images/generations', { prompt: 'copper' }, pictures),
  ).toMatchObject({
    other: { usage_source: 'upstream' },
  });
});
