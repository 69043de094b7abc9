/** What operators set for families of models, and what a model's name asks of it, by what goes upstream. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import type { Wire } from '../support/wires.ts';

const CLAUDE = 'claude-sonnet-4-20250514';
const ADAPTIVE = 'claude-opus-4-8';
const GEMINI = 'gemini-2.5-flash';

let t: WireRelay;
let key = '';
beforeAll(async () => {
  t = await openWireRelay();
  const types: Partial<Record<Wire, number>> = { chat: 1 };
  const add = (wire: Wire, models: string, more: JsonObject = {}) =>
    t.extra(wire, { models, ...(types[wire] ? { type: types[wire] } : {}), ...more });
  await add('messages', `${CLAUDE},${ADAPTIVE}`);
  await add('messages', 'mapped', { model_mapping: `{"mapped":"${CLAUDE}-thinking"}` });
  await add('generateContent', `${GEMINI},gemini-2.5-pro`);
  await add('chat', 'o3,gpt-5.1,gpt-5-mini-high');
  await add('responses', 'gpt-5-pro');
  await add('chat', 'o4-mini-high,kimi-k2-thinking', { type: 47 });
  await t.relay.set({ SelfUseModeEnabled: true });
  key = await t.relay.addToken();
});
afterAll(() => t.close());

/** The body that went upstream, after the call has been answered well and settled. */
async function sent(
  name: string,
  model: string,
  more: JsonObject = {},
  { path, headers }: { path?: string; headers?: Record<string, string> } = {},
): Promise<JsonObject> {
  const response = await t.ask(name, 'chat', { model, more, headers, key });
  await response.text();
  expect(response.status).toBe(200);
  await t.row();
  if (path) expect(t.lastSeen.path).toBe(path);
  return t.lastSeen.body;
}

describe('a name that ends in -thinking', () => {
  it('makes Claude think within a share of the cap, without sampling of its own', async () => {
    const more = { max_tokens: 4000, temperature: 0.2, top_p: 0.9, top_k: 5 };
    const body = await sent('anthropic-messages', `${CLAUDE}-thinking`, more, { path: '/v1/messages' });
    expect(body).toMatchObject({
      model: CLAUDE,
      max_tokens: 4000,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 3200 },
    });
    expect(body).not.toHaveProperty('top_p');
    expect(body).not.toHaveProperty('top_k');
  });

  it('does so for callers of other dialects', async () => {
    const more = { max_completion_tokens: 2000, temperature: 0.2 };
    const body = await sent('openai-chat', `${CLAUDE}-thinking`, more, { path: '/v1/messages' });
    expect(body).toMatchObject({
      model: CLAUDE,
      max_tokens: 2000,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 1600 },
    });
  });

  it('raises a cap that leaves no room for the least budget', async () => {
    const body = await sent('anthropic-messages', `${CLAUDE}-thinking`, { max_tokens: 100 });
    expect(body).toMatchObject({ max_tokens: 1280, thinking: { budget_tokens: 1024 } });
  });

  it('leaves the budget to a model that knows none', async () => {
    const body = await sent('anthropic-messages', `${ADAPTIVE}-thinking`, {
      max_tokens: 100,
      temperature: 1,
    });
    expect(body).toMatchObject({ max_tokens: 100, thinking: { type: 'adaptive' } });
    expect(body).not.toHaveProperty('temperature');
  });

  it('keeps what the caller himself says of thinking', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1500 };
    const more = { max_tokens: 4000, thinking };
    expect(await sent('anthropic-messages', `${CLAUDE}-thinking`, more)).toMatchObject({
      max_tokens: 4000,
      thinking,
    });
  });

  it('is read behind a channel’s mapping too', async () => {
    const body = await sent('anthropic-messages', 'mapped', { max_tokens: 2000 });
    expect(body).toMatchObject({ model: CLAUDE, thinking: { budget_tokens: 1600 } });
  });

  it('follows the operator’s share, and means nothing when the adapter is off', async () => {
    await t.relay.set({ 'claude.thinking_adapter_budget_tokens_percentage': 1 });
    const body = await sent('anthropic-messages', `${CLAUDE}-thinking`, { max_tokens: 2000 });
    expect(body).toMatchObject({ max_tokens: 2000, thinking: { budget_tokens: 1999 } });
    await t.relay.set({
      'claude.thinking_adapter_budget_tokens_percentage': 0.8,
      'claude.thinking_adapter_enabled': false,
    });
    const refused = await t.ask('anthropic-messages', 'chat', { model: `${CLAUDE}-thinking`, key });
    expect(refused.status).toBe(404);
    await t.relay.set({ 'claude.thinking_adapter_enabled': true });
  });

  it('makes Gemini think: within a share of the cap, within a number, as it likes, or not at all', async () => {
    const config = async (model: string, generationConfig: JsonObject = {}) =>
      (await sent('gemini', model, { generationConfig })).generationConfig;
    expect(await config(`${GEMINI}-thinking`, { maxOutputTokens: 1000 })).toEqual({
      maxOutputTokens: 1000,
      thinkingConfig: { thinkingBudget: 800, includeThoughts: true },
    });
    expect(await config(`${GEMINI}-thinking`)).toEqual({ thinkingConfig: { includeThoughts: true } });
    expect(await config(`${GEMINI}-thinking-2048`)).toEqual({
      thinkingConfig: { thinkingBudget: 2048, includeThoughts: true },
    });
    expect(await config(`${GEMINI}-thinking-999999`)).toMatchObject({
      thinkingConfig: { thinkingBudget: 24_576 },
    });
    expect(await config(`${GEMINI}-nothinking`)).toEqual({ thinkingConfig: { thinkingBudget: 0 } });
    expect(await config('gemini-2.5-pro-nothinking')).toEqual({ thinkingConfig: { thinkingBudget: 128 } });
    expect(t.lastSeen.path).toStartWith('/v1beta/models/gemini-2.5-pro:generateContent');
    const own = { thinkingConfig: { thinkingBudget: 7 } };
    expect(await config(`${GEMINI}-thinking`, own)).toEqual(own);
  });

  it('does so for callers of other dialects at Gemini', async () => {
    const body = await sent('openai-chat', `${GEMINI}-nothinking`);
    expect(body.generationConfig).toMatchObject({ thinkingConfig: { thinkingBudget: 0 } });
  });

  it('is part of the name where a channel of another vendor lists it', async () => {
    expect(await sent('openai-chat', 'kimi-k2-thinking')).toMatchObject({ model: 'kimi-k2-thinking' });
  });
});

describe('a name that ends in an effort', () => {
  it.each([
    ['o3-high', 'o3', 'high'],
    ['gpt-5.1-low', 'gpt-5.1', 'low'],
    ['gpt-5-mini-high', 'gpt-5-mini', 'high'],
  ] as const)('%s asks %s for that effort', async (name, model, effort) => {
    const body = await sent('openai-chat', name);
    expect(body).toMatchObject({ model, reasoning_effort: effort });
    const { other, model_name } = (await t.relay.logs()).at(-1) ?? {};
    expect(model_name).toBe(name);
    expect(other).toMatchObject({ reasoning_effort: effort, upstream_model_name: model });
  });

  it('says it in the words of Responses, for callers of any dialect', async () => {
    const path = '/v1/responses';
    expect(await sent('openai-responses', 'gpt-5-pro-medium', {}, { path })).toMatchObject({
      model: 'gpt-5-pro',
      reasoning: { effort: 'medium' },
    });
    expect(await sent('anthropic-messages', 'gpt-5-pro-medium', {}, { path })).toMatchObject({
      model: 'gpt-5-pro',
      reasoning: { effort: 'medium' },
    });
  });

  it('is part of the name where a channel of another vendor lists it', async () => {
    const body = await sent('openai-chat', 'o4-mini-high');
    expect(body.model).toBe('o4-mini-high');
    expect(body).not.toHaveProperty('reasoning_effort');
  });

  it('costs what the model costs, and may be called with a token for the model', async () => {
    await t.relay.set({ ModelRatio: { o3: 3 }, CompletionRatio: { o3: 1 }, CacheRatio: { o3: 1 } });
    const limited = { model_limits_enabled: true, model_limits: 'o3' };
    const own = await t.relay.addToken(limited);
    const response = await t.ask('openai-chat', 'chat', { model: 'o3-low', key: own });
    expect(response.status).toBe(200);
    await response.text();
    expect(await t.row()).toMatchObject({ quota: 3 * 37, other: { model_ratio: 3 } });
    const other = await t.ask('openai-chat', 'chat', { model: 'gpt-5.1-low', key: own });
    expect(other.status).toBe(403);
  });
});

describe('what operators set for Gemini', () => {
  it('adds a threshold for each category of which the caller says nothing', async () => {
    const threshold = (body: JsonObject, category: string) =>
      (body.safetySettings as JsonObject[]).filter((one) => one.category === category);
    const body = await sent('openai-chat', GEMINI);
    expect(threshold(body, 'HARM_CATEGORY_HARASSMENT')).toEqual([
      { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' },
    ]);
    expect(threshold(body, 'HARM_CATEGORY_CIVIC_INTEGRITY')).toMatchObject([{ threshold: 'BLOCK_NONE' }]);
    const given = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' };
    const own = await sent('gemini', GEMINI, { safetySettings: [given] });
    expect(threshold(own, given.category)).toEqual([given]);
    await t.relay.set({ 'gemini.safety_settings': { default: 'BLOCK_ONLY_HIGH' } });
    expect(threshold(await sent('gemini', GEMINI), given.category)).toMatchObject([
      { threshold: 'BLOCK_ONLY_HIGH' },
    ]);
  });

  it('chooses the version of the API by the model', async () => {
    await t.relay.set({ 'gemini.version_settings': { default: 'v1', 'gemini-2.5-pro': 'v1alpha' } });
    await sent('gemini', GEMINI);
    expect(t.lastSeen.path).toStartWith(`/v1/models/${GEMINI}:`);
    await sent('gemini', 'gemini-2.5-pro');
    expect(t.lastSeen.path).toStartWith('/v1alpha/models/gemini-2.5-pro:');
  });
});

describe('what operators set for Claude', () => {
  it('sends headers by the name that the caller used', async () => {
    await t.relay.set({
      'claude.model_headers_settings': { [CLAUDE]: { 'anthropic-beta': ['one', 'two'], 'X-Own': 'yes' } },
    });
    await sent('openai-chat', CLAUDE);
    expect(t.lastSeen.headers.get('anthropic-beta')).toBe('one,two');
    expect(t.lastSeen.headers.get('x-own')).toBe('yes');
    await sent('openai-chat', ADAPTIVE);
    expect(t.lastSeen.headers.get('x-own')).toBeNull();
  });

  it('caps the output of callers who give no cap, by the model', async () => {
    await t.relay.set({ 'claude.default_max_tokens': { default: 777, [CLAUDE]: 3333 } });
    const uncapped = { max_completion_tokens: null };
    expect(await sent('openai-chat', CLAUDE, uncapped)).toMatchObject({ max_tokens: 3333 });
    expect(await sent('openai-chat', ADAPTIVE, uncapped)).toMatchObject({ max_tokens: 777 });
    expect(await sent('openai-chat', `${CLAUDE}-thinking`, uncapped)).toMatchObject({
      max_tokens: 3333,
      thinking: { budget_tokens: Math.floor(3333 * 0.8) },
    });
  });
});

describe('passing request bodies through', () => {
  it('leaves out what operators would add, where both sides speak one dialect', async () => {
    const { model } = await t.extra('messages', {
      models: 'plain-claude',
      setting: '{"system_prompt":"Be brief."}',
      param_override: '{"metadata":{"user_id":"x"}}',
    });
    const gemini = await sent('gemini', GEMINI);
    expect(gemini).toHaveProperty('safetySettings');
    expect(await sent('anthropic-messages', model)).toMatchObject({ metadata: { user_id: 'x' } });
    await t.relay.set({ 'global.pass_through_request_enabled': true });
    expect(await sent('gemini', GEMINI)).not.toHaveProperty('safetySettings');
    const passed = await sent('anthropic-messages', model, { unknown: { kept: true } });
    expect(passed).toMatchObject({ model, unknown: { kept: true } });
    expect(passed).not.toHaveProperty('metadata');
    expect(passed).not.toHaveProperty('system');
    // Where they do not, everything is as before.
    expect(await sent('openai-chat', model)).toMatchObject({
      metadata: { user_id: 'x' },
      system: 'Be brief.',
    });
    await t.relay.set({ 'global.pass_through_request_enabled': false });
  });
});
