/** Sound that a model has read from a cache costs what its vendor asks for that, and the log adds it up. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { chargeOfRecord } from '../../src/core/price-record.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const GEMINI = 24;

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  const models = 'gemini-2.5-flash,gemini-2.0-flash';
  await t.relay.addChannel({ type: GEMINI, base_url: t.base, models });
});
beforeEach(() => t.relay.setBalance(100_000_000));
afterAll(() => t.close());

/** Ten minutes of sound and a question, of which a cache had nearly all. */
const USAGE: JsonObject = {
  promptTokenCount: 19_250,
  candidatesTokenCount: 50,
  totalTokenCount: 19_300,
  cachedContentTokenCount: 19_020,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 50 },
    { modality: 'AUDIO', tokenCount: 19_200 },
  ],
  cacheTokensDetails: [
    { modality: 'TEXT', tokenCount: 20 },
    { modality: 'AUDIO', tokenCount: 19_000 },
  ],
};
const ANSWER: JsonObject = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Bees.' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: USAGE,
};

it.each([
  // Dollars a million: text, cached text, sound, cached sound, output.
  ['gemini-2.5-flash', [0.3, 0.03, 1, 0.1, 2.5]],
  ['gemini-2.0-flash', [0.1, 0.025, 0.7, 0.175, 0.4]],
] as const)('of %s, whole and streamed', async (model, [text, cachedText, sound, cachedSound, output]) => {
  const due = 30 * text + 20 * cachedText + 200 * sound + 19_000 * cachedSound + 50 * output;
  const contents = [{ role: 'user', parts: [{ text: 'What is this about?' }] }];
  for (const stream of [false, true]) {
    t.answers(() => (stream ? eventStream([ANSWER]) : Response.json(ANSWER)));
    const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const response = await t.post(`/v1beta/models/${model}:${action}`, { contents });
    expect(response.status).toBe(200);
    await response.text();
    const row = await t.row();
    expect(row.quota).toBe(Math.round(due / 2));
    expect(row.other).toMatchObject({ cache_tokens: 19_020, cache_tokens_audio: 19_000, audio_input: 200 });
    const charge = chargeOfRecord(row, row.other);
    expect(charge?.quota).toBe(row.quota);
    expect(charge?.lines.find(({ item }) => item === 'cacheReadAudio')?.count).toBe(19_000);
  }
});

it('told in the words of the wire that the caller speaks', async () => {
  t.answers(() => Response.json(ANSWER));
  const messages = [{ role: 'user', content: 'What is this about?' }];
  const response = await t.post('/v1/chat/completions', { model: 'gemini-2.5-flash', messages });
  const { usage } = await response.json();
  expect(usage.prompt_tokens_details).toMatchObject({
    audio_tokens: 19_200,
    cached_tokens: 19_020,
    cached_tokens_details: { audio_tokens: 19_000 },
  });
  await t.row();
});
