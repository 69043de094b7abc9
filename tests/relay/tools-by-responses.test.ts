/** OpenAI's models that call tools by Responses alone, for callers of its other wire and of others. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';

const MODEL = 'gpt-6.1-sol';

let t: WireRelay;
let key = '';
beforeAll(async () => {
  t = await openWireRelay();
  await t.extra('responses', { models: MODEL, type: 3 });
  await t.relay.set({ SelfUseModeEnabled: true });
  key = await t.relay.addToken();
});
afterAll(() => t.close());

const parameters = { type: 'object', properties: { at: { type: 'string' } } };
const CALLERS: [dialect: string, more: JsonObject][] = [
  ['openai-chat', { tools: [{ type: 'function', function: { name: 'f', parameters } }], max_tokens: 50 }],
  ['anthropic-messages', { tools: [{ name: 'f', input_schema: parameters }] }],
  ['gemini', { tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }],
  ['openai-responses', { tools: [{ type: 'function', name: 'f', parameters }] }],
];

it.each(CALLERS)('%s has its tools called', async (dialect, more) => {
  const response = await t.ask(dialect, 'chat', { model: MODEL, more, key });
  await response.text();
  expect(response.status).toBe(200);
  await t.row();
  expect(t.lastSeen.path).toBe('/openai/v1/responses?api-version=preview');
  expect(t.lastSeen.body).toMatchObject({ model: MODEL, tools: [{ type: 'function', name: 'f' }] });
});
