/** OpenAI's models that call tools by Responses alone, for callers of its other wire and of others. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';

const MODEL = 'gpt-6.1-sol';

let t: WireRelay;
let key = '';
beforeAll(async () => {
  t = await openWireRelay();
  const setting = JSON.stringify({ proxy: t.wires.base });
  await t.extra('responses', { models: MODEL, type: 3, base_url: 'http://mine.openai.azure.com', setting });
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

it.each([
  ['', '2025-04-01-preview', 'com'],
  ['2025-03-01-preview', '2025-04-01-preview', 'us'],
  ['2025-05-01-preview', '2025-05-01-preview', 'cn'],
  ['preview', 'preview', 'com'],
])(
  'an older host of Azure at version %j is asked by %s, which has the call: .%s',
  async (other, version, cloud) => {
    const base_url = `http://mine.cognitiveservices.azure.${cloud}`;
    const setting = JSON.stringify({ proxy: t.wires.base });
    const model = `gpt-6-luna-${other}`;
    await t.extra('responses', { models: model, type: 3, base_url, other, setting });
    const more = { tools: [{ type: 'function', function: { name: 'f', parameters } }] };
    const response = await t.ask('openai-chat', 'chat', { model, more, key });
    await response.text();
    expect(response.status).toBe(200);
    await t.row();
    expect(t.lastSeen.path).toBe(`/openai/responses?api-version=${version}`);
  },
);

it('what a caller says of his cache goes along', async () => {
  const cache = {
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    prompt_cache_options: { ttl: '30m' },
  };
  const response = await t.ask('openai-chat', 'chat', { model: MODEL, more: cache, key });
  await response.text();
  await t.row();
  expect(t.lastSeen.body).toMatchObject(cache);
  expect(response.headers.get('x-gateway-lost')).toBeNull();
});

it('who speaks of functions is told of one call, and one is asked for', async () => {
  const more = { tools: undefined, functions: [{ name: 'f', parameters }] };
  const response = await t.ask('openai-chat', 'chat', { model: MODEL, more, key });
  await response.text();
  await t.row();
  expect(t.lastSeen.body).toMatchObject({ tools: [{ name: 'f' }], parallel_tool_calls: false });
});

it.each<[where: string, base_url: string | undefined, goesUp: JsonObject]>([
  ['at OpenAI’s address', 'http://api.openai.com', {}],
  ['at an operator’s, for a caller who speaks it', undefined, { stop: ['x'], seed: 1 }],
])('what Chat alone has of a channel’s fields goes up or not: %s', async (_, base_url, goesUp) => {
  const model = `gpt-6.1-sol-${Object.keys(goesUp).length}`;
  const param_override = JSON.stringify({ stop: ['x'], seed: 1, temperature: 1 });
  const setting = JSON.stringify({ proxy: t.wires.base });
  await t.extra('responses', {
    ...{ models: model, type: 1, param_override },
    ...(base_url && { base_url, setting }),
  });
  await (await t.ask('openai-responses', 'chat', { model, more: {}, key })).text();
  await t.row();
  const { stop, seed, temperature } = t.lastSeen.body;
  expect({ stop, seed, temperature }).toEqual({
    stop: undefined,
    seed: undefined,
    temperature: 1,
    ...goesUp,
  });
});
