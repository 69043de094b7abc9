/** A prompt beyond what every channel of its model takes, in each of the calls that callers make. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay('pglite');
  await relay.set({ ModelRatio: { short: 1 } });
  for (const type of [1, 14, 24]) await relay.addChannel({ type, models: 'short', max_input_tokens: 100 });
});
afterAll(() => relay.close());

const long = 'x'.repeat(1000);
const messages = [{ role: 'user', content: long }];
const contents = [{ role: 'user', parts: [{ text: long }] }];

it.each<[string, JsonObject]>([
  ['/v1/chat/completions', { model: 'short', messages }],
  ['/v1/chat/completions', { model: 'short', messages, stream: true }],
  ['/v1/responses', { model: 'short', input: long }],
  ['/v1/messages', { model: 'short', max_tokens: 5, messages }],
  ['/v1/messages/count_tokens', { model: 'short', messages }],
  ['/v1beta/models/short:generateContent', { contents }],
  ['/v1beta/models/short:streamGenerateContent', { contents }],
  ['/v1beta/models/short:countTokens', { contents }],
  ['/v1/completions', { model: 'short', prompt: long }],
  ['/v1/embeddings', { model: 'short', input: long }],
])('is refused by its name: %s %j', async (path, body) => {
  const answer = await fetch(relay.base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${relay.key}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.status).toBe(400);
  expect(text).toContain('at most 100 tokens');
  if (!path.startsWith('/v1beta') && !path.startsWith('/v1/messages'))
    expect(text).toContain('context_length_exceeded');
  expect(await relay.reservations()).toEqual([]);
  expect(relay.upstream.chats).toEqual([]);
});
