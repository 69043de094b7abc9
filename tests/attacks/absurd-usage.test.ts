/**
 * Absurd usage: an upstream tells counts that cannot be, and the balance of whoever calls it is emptied by one answer.
 * A prompt of two letters takes no million tokens, whatever bound there is for all calls. What came out is seen here, and
 * counted; what went in may be more than is seen, so that of what a model can read as much as is within reason is charged.
 */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, messagesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1 },
    anthropic: { type: 14, named: 'claude-opus-4-1' },
    gemini: { type: 24 },
    embedding: { type: 1 },
  }));
  await t.relay.api.deps.db.query('update users set quota = 100000000 where id = $1', [t.relay.user.id]);
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'hi' }];
const chat = (usage: JsonObject) => chatAnswer(usage, 'Hello.');
const claude = (usage: JsonObject) => messagesAnswer(usage, 'Hello.');
const google = (usageMetadata: JsonObject) => geminiAnswer(usageMetadata, 'Hello.');
const streamed = (usage: JsonObject) => () =>
  eventStream([
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
    '[DONE]',
  ]);

interface Variant {
  model: string;
  path?: string;
  body?: JsonObject;
  answer: JsonObject | (() => Response);
}

/** Each would cost a fortune. */
const VARIANTS: Record<string, Variant> = {
  'a prompt of millions': {
    model: 'openai',
    answer: chat({ prompt_tokens: 9_000_000, completion_tokens: 2 }),
  },
  'an answer of millions without a limit': {
    model: 'openai',
    body: {},
    answer: chat({ prompt_tokens: 9, completion_tokens: 9_000_000 }),
  },
  'an answer of a hundred thousand at a limit of fifty': {
    model: 'openai',
    answer: chat({ prompt_tokens: 9, completion_tokens: 100_000 }),
  },
  'an answer of a hundred thousand in a stream': {
    model: 'openai',
    body: { max_tokens: 50, stream: true },
    answer: streamed({ prompt_tokens: 9, completion_tokens: 100_000 }),
  },
  'a prompt of a hundred thousand in a stream': {
    model: 'openai',
    body: { max_tokens: 50, stream: true },
    answer: streamed({ prompt_tokens: 100_000, completion_tokens: 2 }),
  },
  'a cache of millions, read': {
    model: 'anthropic',
    path: '/v1/messages',
    answer: claude({ input_tokens: 9, cache_read_input_tokens: 8_000_000, output_tokens: 2 }),
  },
  'a cache of millions, written for an hour': {
    model: 'anthropic',
    path: '/v1/messages',
    answer: claude({
      input_tokens: 9,
      cache_creation_input_tokens: 8_000_000,
      cache_creation: { ephemeral_1h_input_tokens: 8_000_000 },
      output_tokens: 2,
    }),
  },
  'a prompt of millions through another dialect': {
    model: 'gemini',
    answer: google({ promptTokenCount: 9_000_000, candidatesTokenCount: 2, totalTokenCount: 9_000_002 }),
  },
  'a cache of millions, told as a part of a prompt of nine': {
    model: 'openai',
    answer: chat({
      prompt_tokens: 9,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 9_000_000 },
    }),
  },
  'the same by another name': {
    model: 'openai',
    answer: chat({ prompt_tokens: 9, completion_tokens: 2, cached_tokens: 9_000_000 }),
  },
  'a text of millions to embed': {
    model: 'embedding',
    path: '/v1/embeddings',
    body: { input: 'hi' },
    answer: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
      usage: { prompt_tokens: 9_000_000, total_tokens: 9_000_000 },
    },
  },
  'a thousand searches where three were allowed': {
    model: 'anthropic',
    path: '/v1/messages',
    body: { max_tokens: 50, tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] },
    answer: claude({ input_tokens: 9, output_tokens: 2, server_tool_use: { web_search_requests: 1_000 } }),
  },
};

async function ask({ model, path = '/v1/chat/completions', body = { max_tokens: 50 }, answer }: Variant) {
  t.answers(answer);
  const asked = path.endsWith('embeddings') ? body : { messages: MESSAGES, ...body };
  const response = await t.post(path, { model: models[model] ?? '', ...asked });
  expect(response.status).toBe(200);
  await response.text();
  return t.row();
}

describe.each(Object.entries(VARIANTS))('%s', (name, variant) => {
  it('is not charged', async () => {
    const row = await ask(variant);
    expect(row.other.usage_suspect).toBe(true);
    // Three searches are paid for, and what was really said. A hundred thousand may have been read somewhere.
    const most = name.startsWith('a prompt of a hundred') ? 32_900 : 100;
    expect(row.quota).toBeLessThan(name.includes('searches') ? 15_100 : most);
  });
});

describe('parts that are more than their whole', () => {
  it.each<[part: string, usage: JsonObject, most: number]>([
    [
      'heard',
      { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { audio_tokens: 9_000_000 } },
      31,
    ],
    [
      'spoken',
      { prompt_tokens: 9, completion_tokens: 2, completion_tokens_details: { audio_tokens: 9_000_000 } },
      21,
    ],
  ])('are cut: %s', async (_, usage, most) => {
    const row = await ask({ model: 'openai', answer: chat(usage) });
    expect(row).toMatchObject({
      prompt_tokens: 9,
      completion_tokens: 2,
      other: { usage_source: 'upstream' },
    });
    expect(row.quota).toBeLessThanOrEqual(most);
  });
});

it('a cache that no prompt of nine can hold was read beside it, as far as a prompt is believed', async () => {
  for (const total_tokens of [11, undefined]) {
    const details = { prompt_tokens_details: { cached_tokens: 15_000 } };
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 2,
      ...(total_tokens && { total_tokens }),
      ...details,
    };
    const row = await ask({ model: 'openai', answer: chat(usage) });
    expect(row).toMatchObject({ prompt_tokens: 15_009, other: { usage_source: 'upstream' } });
  }
});

it('pictures in any number are believed as far as a context holds', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  await t.relay.setBalance(5_000_000);
  for (const prompt_tokens of [9_000_000, 2_100_000]) {
    const body = { max_tokens: 50, messages: [{ role: 'user', content: Array(400).fill(image) }] };
    const row = await ask({ model: 'openai', body, answer: chat({ prompt_tokens, completion_tokens: 2 }) });
    expect(row.other.usage_suspect).toBe(true);
  }
  expect(await t.relay.writtenOff()).toBe(0);
  await t.relay.setBalance(100_000_000);
});

it('a channel that does it again and again is counted, and root is told', async () => {
  const { alerts, metrics } = t.relay.api.deps.relay;
  const sent = spyOn(alerts, 'send');
  const id = await t.relay.addChannel({ base_url: 'http://127.0.0.1:9', models: 'other', name: 'honest' });
  models.liar = await t.model(1);
  for (let n = 0; n < 3; n++) {
    expect(sent).not.toHaveBeenCalled();
    await ask({ model: 'liar', answer: chat({ prompt_tokens: 9_000_000, completion_tokens: 2 }) });
  }
  const [alert] = sent.mock.calls.at(-1) ?? [];
  expect(alert).toMatchObject({ type: 'usage_suspect', subject: `channel:${id + 1}` });
  expect(alert?.title.en).toContain('#');
  const { samples } = metrics.snapshot().tollgate_usage_suspect_total ?? { samples: [] };
  expect(samples).toContainEqual([`tollgate_usage_suspect_total{channel="${id + 1}"}`, 3]);
  sent.mockRestore();
});

it('a channel whose uses nobody has asked for is told of by itself, as charged to nobody', async () => {
  const { alerts, metrics } = t.relay.api.deps.relay;
  const sent = spyOn(alerts, 'send');
  models.searcher = await t.model(14, { named: 'claude-sonnet-4-5' });
  const searched = { input_tokens: 9, output_tokens: 2, server_tool_use: { web_search_requests: 10 } };
  const path = '/v1/messages';
  await ask({ model: 'searcher', path, answer: claude({ ...searched, input_tokens: 9_000_000 }) });
  for (let n = 0; n < 2; n++) {
    expect(sent).not.toHaveBeenCalled();
    await ask({ model: 'searcher', path, answer: claude(searched) });
  }
  expect(sent.mock.calls).toMatchObject([
    [{ type: 'uses_unasked', content: { en: expect.stringContaining('charged to nobody') } }],
  ]);
  const { samples } = metrics.snapshot().tollgate_uses_unasked_total ?? { samples: [] };
  expect(samples).toMatchObject([[expect.stringContaining('channel='), 3]]);
  sent.mockRestore();
});
