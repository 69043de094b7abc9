/**
 * Answers of which their upstream tells that nothing was read and nothing written. No model does that: a gateway has asked
 * none, but some service that it pays (LiteLLM's search of a tool list that holds nothing else), or does not tell, and fills
 * in zeros (LiteLLM's pictures, LocalAI's vectors). OpenRouter tells so of answers that it has kept, and bills none of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
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
  // As every real one begins.
  const first = { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] };
  const frames = [first, ...(STREAMS[CHAT] ?? []).slice(1)];
  const body = { ...BODIES[CHAT], stream: true };
  expect(await ask('house', CHAT, body, () => eventStream([...frames, '[DONE]']))).toMatchObject(BELIEVED);
});

it('a vendor is believed who may have kept it', async () => {
  const kept = ANSWERS[CHAT]?.(FOUND.repeat(50)) ?? {};
  expect(await ask('router', CHAT, BODIES[CHAT] ?? {}, kept)).toMatchObject({ ...BELIEVED, quota: 0 });
});

it('no other vendor is', async () => {
  const answer = ANSWERS[RESPONSES]?.(FOUND) ?? {};
  expect(await ask('azure', RESPONSES, BODIES[RESPONSES] ?? {}, answer)).toMatchObject(COUNTED);
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

/** A minute of silence. */
function sound(): File {
  const data = Buffer.alloc(60 * 32_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(16_000, 24);
  head.writeUInt32LE(32_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return new File([head, data], 'a.wav', { type: 'audio/wav' });
}

describe('calls that are no chats', () => {
  const WORDS = 'copper '.repeat(500);
  /** What is asked for and what came of it, as the model that was asked. */
  const CALLS: Record<string, [model: string, path: string, asked: JsonObject, came: JsonObject]> = {
    vectors: [
      'house of vectors',
      '/v1/embeddings',
      { input: WORDS },
      { data: [{ index: 0, embedding: [0.1] }] },
    ],
    "Google's vectors": [
      'house of Gemini',
      '/v1beta/models/MODEL:embedContent',
      { content: { parts: [{ text: WORDS }] } },
      { embedding: { values: [0.1] } },
    ],
    pictures: [
      'house of pictures',
      '/v1/images/generations',
      { prompt: 'copper' },
      { created: 1, data: [{ b64_json: 'aaaa' }] },
    ],
    'pictures by a ratio': [
      'house',
      '/v1/images/generations',
      { prompt: 'copper' },
      { created: 1, data: [{ url: 'https://x.example/a.png' }] },
    ],
    ranks: [
      'house',
      '/v1/rerank',
      { query: 'copper', documents: [WORDS] },
      { results: [{ index: 0, relevance_score: 0.5 }] },
    ],
    verdicts: ['house', '/v1/moderations', { input: WORDS }, { results: [{ flagged: false }] }],
  };
  const ZEROS: JsonObject[] = [
    { usage: OF_CHATS },
    { usage: { ...OF_OTHERS, total_tokens: 0, input_tokens_details: { image_tokens: 0, text_tokens: 0 } } },
    { usageMetadata: { promptTokenCount: 0, totalTokenCount: 0 } },
  ];

  it.each(Object.keys(CALLS))('are counted as those of which nothing is told: %s', async (name) => {
    const [model = '', path = '', asked = {}, came = {}] = CALLS[name] ?? [];
    const { quota, other } = await ask(model, path, asked, came);
    expect(other).toMatchObject({ usage_source: 'estimated' });
    expect(quota).toBeGreaterThan(100);
    for (const zeros of ZEROS) {
      const row = await ask(model, path, asked, { ...came, ...zeros });
      expect(row).toMatchObject({ quota, other: { usage_source: 'estimated' } });
      expect(row.other).not.toHaveProperty('usage_suspect');
    }
  });

  it('of a sound are counted by its length, whatever was said in it', async () => {
    const hear = async (answer: JsonObject) => {
      t.answers(answer);
      const form = new FormData();
      form.set('model', models.house ?? '');
      form.set('file', sound());
      const heard = await t.post('/v1/audio/transcriptions', form);
      expect(heard.status).toBe(200);
      await heard.text();
      return t.row();
    };
    const { quota } = await hear({ text: 'copper' });
    expect(quota).toBe(1_000);
    expect((await hear({ text: 'copper', usage: { type: 'duration', seconds: 0 } })).quota).toBe(quota);
    expect((await hear({ text: '', usage: OF_OTHERS })).quota).toBe(quota);
  });

  it('are believed where nothing came of them', async () => {
    const answer = { data: [], usage: OF_CHATS };
    expect(await ask('house of vectors', '/v1/embeddings', { input: WORDS }, answer)).toMatchObject(BELIEVED);
    const found = { results: [], usage: OF_CHATS };
    expect(
      await ask('house', '/v1/rerank', { query: 'a', documents: [WORDS], top_n: 0 }, found),
    ).toMatchObject(BELIEVED);
  });

  it('are counted where they are streamed', async () => {
    const frames = [{ type: 'image_generation.completed', b64_json: 'aaaa', usage: OF_OTHERS }];
    const body = { prompt: 'copper', stream: true };
    const row = await ask('house of pictures', '/v1/images/generations', body, () => eventStream(frames));
    expect(row).toMatchObject(COUNTED);
    expect(row.completion_tokens).toBeGreaterThan(100);
    const none = [{ type: 'image_generation.completed', usage: OF_OTHERS }];
    expect(
      await ask('house of pictures', '/v1/images/generations', body, () => eventStream(none)),
    ).toMatchObject(BELIEVED);
  });
});

it('an answer of what nobody knows here is counted, too', async () => {
  const patch = { type: 'apply_patch_call', operation: { type: 'create_file', path: 'a', diff: FOUND } };
  const answer = { ...responsesAnswer(OF_OTHERS), output: [patch] };
  const row = await ask('house', RESPONSES, BODIES[RESPONSES] ?? {}, answer);
  expect(row).toMatchObject(COUNTED);
  expect(row.completion_tokens).toBeGreaterThan(10);
});
