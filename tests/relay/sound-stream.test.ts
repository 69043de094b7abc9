/** What a chat that speaks costs while it streams and when it is cut. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MODEL = 'gpt-4o-audio-preview';
const SECONDS = 30;
/** Twenty tokens a second, at twice the price of sound, which is four times that of text. */
const SOUND_COST = SECONDS * 20 * 4 * 2;
const HELLO_TOKENS = 1;

let relay: TestRelay;
let endsWell = false;
const spoken = Buffer.alloc(48_000, 7).toString('base64');
const chunk = (delta: JsonObject, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', model: MODEL, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const vendor = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch() {
    const pieces = Array.from({ length: SECONDS }, () => chunk({ audio: { data: spoken } })).join('');
    const said = chunk({ role: 'assistant', audio: { id: 'audio_1', transcript: 'Hello' } }) + pieces;
    const end = endsWell ? `${chunk({}, 'stop')}data: [DONE]\n\n` : '';
    return new Response(said + end, { headers: { 'content-type': 'text/event-stream' } });
  },
});

beforeAll(async () => {
  relay = await openTestRelay();
  await relay.set({
    ModelRatio: { [MODEL]: 1 },
    CompletionRatio: { [MODEL]: 1 },
    AudioRatio: { [MODEL]: 4 },
    AudioCompletionRatio: { [MODEL]: 2 },
    RetryTimes: 0,
  });
  await relay.addChannel({ models: MODEL, base_url: `http://127.0.0.1:${vendor.port}` });
});
afterAll(async () => {
  await vendor.stop(true);
  await relay.close();
});

const speak = async (key?: string) =>
  (
    await relay.chat(
      {
        model: MODEL,
        stream: true,
        modalities: ['text', 'audio'],
        audio: { voice: 'alloy', format: 'pcm16' },
        max_completion_tokens: 700,
      },
      { key },
    )
  ).text();

describe('a chat that speaks', () => {
  it('is charged for the sound that came when it is cut', async () => {
    endsWell = false;
    await speak();
    const [row] = await relay.settled(1);
    expect(row?.other.stream_end).toBe('upstream_cut');
    expect(row?.completion_tokens).toBe(HELLO_TOKENS + SECONDS * 20);
    expect(row?.quota).toBe((row?.prompt_tokens ?? 0) + HELLO_TOKENS + SOUND_COST);
  });

  it('goes on to its end for an account that can just pay it', async () => {
    endsWell = true;
    // What is held for a prompt of a few tokens and 700 of sound, and hardly more.
    const poor = await relay.api.createUser({ quota: 700 * 8 + 100 });
    const text = await speak(await relay.addToken({}, poor));
    expect(text).toContain('[DONE]');
    const row = (await relay.settled(2)).at(-1);
    expect(row?.other.stream_end).toBe('done');
    expect(row?.quota).toBe((row?.prompt_tokens ?? 0) + HELLO_TOKENS + SOUND_COST);
  });
});
