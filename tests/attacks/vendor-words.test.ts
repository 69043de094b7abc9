/**
 * What vendors' own words bring about beside what OpenAI's wire knows: thoughts that no limit of an answer counts, and
 * searches by a switch. They are held and charged like what has a name here.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, messagesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
let offBefore = 0;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    ali: { type: 17, named: 'qwen-plus' },
    r1: { type: 17, named: 'deepseek-r1' },
    ark: { type: 45, named: 'doubao-seed-1-6' },
    byteplus: { type: 45, named: 'seed-1-8-251228' },
    arkGlm: { type: 45, named: 'glm-4-7-251222' },
    seed: { type: 1, named: 'bytedance-seed/seed-1.6' },
    distilled: { type: 17, named: 'deepseek-r1-distill-qwen-32b' },
    think: { type: 46, named: 'deepseek-v3.2-think' },
    qianfan: { type: 46, named: 'ernie-4.5-turbo-128k' },
    zhipu: { type: 26 },
    moonshot: { type: 25 },
    silicon: { type: 40, named: 'deepseek-ai/DeepSeek-R1' },
    hybrid: { type: 40, named: 'deepseek-ai/DeepSeek-V3.1' },
    anyone: { type: 1, named: 'own-name' },
    gpt: { type: 1, named: 'gpt-own-name' },
    qwen: { type: 8, named: 'qwen3-8b' },
    glm: { type: 1, named: 'glm-4.6' },
    hunyuan: { type: 1, named: 'hunyuan-turbos' },
    groq: { type: 1, named: 'groq/compound' },
    house: { type: 1, model_mapping: { 'house-finder': 'groq/compound' }, named: 'house-finder' },
    base: { type: 1, model_mapping: { 'gpt-5-base': 'own-name' }, named: 'gpt-5-base' },
  }));
  models.varied = `${models.base}-high`;
});
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});
afterAll(() => t.close());

const CHAT = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'What is new?' }];
const numberOr = (value: unknown, other: number): number => (typeof value === 'number' ? value : other);

describe('thoughts', () => {
  const THOUGHT = 30_000;
  const asked = { path: CHAT, limit: ({ thinking_budget }: JsonObject) => thinking_budget };
  const ARK = { path: CHAT, limit: ({ max_completion_tokens }: JsonObject) => max_completion_tokens };
  const MESSAGES = {
    path: '/v1/messages',
    limit: ({ thinking }: JsonObject) => (thinking as JsonObject | undefined)?.budget_tokens,
  };
  const answerOf = (path: string, tokens: number): JsonObject =>
    path === CHAT
      ? chatAnswer({
          prompt_tokens: 10,
          completion_tokens: tokens + 1,
          completion_tokens_details: { reasoning_tokens: tokens },
        })
      : messagesAnswer({ input_tokens: 10, output_tokens: tokens + 1 });

  it.each<[string, string, typeof asked, JsonObject]>([
    ['DashScope', 'ali', asked, { enable_thinking: true, max_tokens: 1 }],
    ['DashScope without a limit', 'ali', asked, { enable_thinking: true }],
    ['DashScope under a budget', 'ali', asked, { thinking_budget: 29_000, max_tokens: 1 }],
    [
      'DashScope on the wire of Messages',
      'ali',
      MESSAGES,
      { thinking: { type: 'enabled', budget_tokens: 29_000 }, max_tokens: 1 },
    ],
    ['Ark', 'ark', ARK, { thinking: { type: 'enabled' }, max_tokens: 1 }],
    ['Ark without a limit', 'ark', ARK, {}],
    ['Ark of what no list names', 'byteplus', ARK, { max_tokens: 1 }],
    ['Ark of what others write with dots', 'arkGlm', ARK, { max_tokens: 1 }],
    ['Ark, not told not to in its own words', 'ark', ARK, { enable_thinking: false, max_tokens: 1 }],
    ['nobody knows whom, of a model of OpenAI’s', 'gpt', ARK, { reasoning_effort: 'high', max_tokens: 1 }],
  ])('beside a limit are not had on credit at %s', async (_, model, { path, limit }, more) => {
    const answer = ({ body }: { body: JsonObject }) =>
      answerOf(path, Math.min(THOUGHT, numberOr(limit(body), THOUGHT)));
    const call = { model: models[model] ?? '', path, body: { messages, ...more }, answer };
    await t.relay.setBalance(20_000);
    expect(await storm(t, call, 12)).toBeGreaterThan(0);
    expect(await t.relay.writtenOff()).toBe(offBefore);
    // Thoughts cost ten units a token at the dearest of these.
    await t.relay.setBalance(10 * 33_000);
    expect(await storm(t, call, 1)).toBe(1);
    // Who has it thinks as long as he asked for.
    expect([await t.relay.writtenOff(), limit(t.lastSeen.body)]).toEqual([offBefore, limit(more)]);
  });

  // What another wire's word says goes up nowhere, and what a wire has of its own is written in the vendor's words.
  it.each<[string, string, string, JsonObject]>([
    [
      'Responses',
      'silicon',
      '/v1/responses',
      { input: 'hi', max_output_tokens: 1, thinking: { type: 'disabled' } },
    ],
    [
      'Gemini',
      'ark',
      '/v1beta/models/doubao-seed-1-6:generateContent',
      {
        contents: [{ parts: [{ text: 'hi' }] }],
        generationConfig: { maxOutputTokens: 1 },
        thinking: { type: 'disabled' },
      },
    ],
    ['Messages', 'hybrid', '/v1/messages', { messages, max_tokens: 1, output_config: { effort: 'high' } }],
  ])('asked for or not on the wire of %s are held beside the limit', async (_, name, path, more) => {
    const model = models[name] ?? '';
    const answer = ({ body }: { body: JsonObject }) =>
      answerOf(CHAT, Math.min(THOUGHT, numberOr(ARK.limit(body), THOUGHT)));
    const to = path.replace('doubao-seed-1-6', model);
    await t.relay.setBalance(20_000);
    await storm(t, { model, path: to, body: more, answer }, 12);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it.each<[string, JsonObject]>([
    ['r1', { max_tokens: 1 }],
    // Which words limit them, or end them, nobody knows where the address is anybody's: these go up as they came.
    ['anyone', { max_tokens: 1, enable_thinking: true }],
    ['anyone', { max_tokens: 1, thinking_budget: 10 }],
    ['anyone', { max_tokens: 1, thinking: { type: 'enabled' } }],
    ['qwen', { max_completion_tokens: 1 }],
    ['qwen', { max_tokens: 1, enable_thinking: false }],
    ['glm', { max_tokens: 1, thinking: { type: 'disabled' } }],
    ['varied', { max_tokens: 1 }],
    ['seed', { max_tokens: 1 }],
    ['think', { max_tokens: 1 }],
    ['distilled', { max_tokens: 1, thinking_budget: 1 }],
  ])('that no field surely limits are held as a whole (%s, %j)', async (model, more) => {
    const body = { messages, ...more };
    const call = { model: models[model] ?? '', path: CHAT, body, answer: () => answerOf(CHAT, THOUGHT) };
    await t.relay.setBalance(60_000);
    expect(await storm(t, call, 3)).toBe(0);
    await t.relay.setBalance(66_000);
    expect(await storm(t, call, 3)).toBe(1);
    expect(t.lastSeen.body).toMatchObject(more);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it.each(['r1', 'silicon', 'glm'])(
    'that no field limits leave a stream the limit of its answer (%s)',
    async (name) => {
      const usageOf = (tokens: number) => ({ prompt_tokens: 10, completion_tokens: tokens });
      const answer = ({ body }: { body: JsonObject }) =>
        eventStream([
          { choices: [{ index: 0, delta: { content: 'So.' }, finish_reason: 'stop' }] },
          { choices: [], usage: usageOf(Math.min(THOUGHT, numberOr(body.max_tokens, THOUGHT))) },
          '[DONE]',
        ]);
      // Too little for what a stream without a limit is held for at first.
      await t.relay.setBalance(3_000);
      const body = { messages, stream: true };
      expect(await storm(t, { model: models[name] ?? '', path: CHAT, body, answer }, 3)).toBeGreaterThan(0);
      expect(t.lastSeen.body).toMatchObject({ max_tokens: expect.any(Number) });
      expect(await t.relay.writtenOff()).toBe(offBefore);
    },
  );

  it.each<[string, JsonObject]>([
    ['ali', {}],
    ['ali', { enable_thinking: false }],
    ['ark', { thinking: { type: 'disabled' } }],
    ['anyone', {}],
  ])('that are not asked for hold nothing (%s, %j)', async (model, more) => {
    const body = { messages, max_tokens: 50, ...more };
    const answer = () => chatAnswer({ prompt_tokens: 10, completion_tokens: 50 });
    await t.relay.setBalance(12 * 113);
    expect(await storm(t, { model: models[model] ?? '', path: CHAT, body, answer }, 13)).toBe(12);
  });
});

/** US dollars ten a thousand. */
const SEARCH = 5_000;
const BALANCE = 100_000_000;

/** What one call costs, alone on a balance that carries anything. */
async function costOf(model: string, more: JsonObject, answer: JsonObject): Promise<number> {
  await t.relay.setBalance(BALANCE);
  const body = { messages, max_tokens: 50, ...more };
  await storm(t, { model: models[model] ?? '', path: CHAT, body, answer: () => answer }, 1);
  return BALANCE - (await t.relay.account()).quota;
}

describe('searches', () => {
  const agent = { enable_search: true, search_options: { search_strategy: 'agent_max' } };
  const read = (prompt_tokens: number, more: JsonObject = {}) =>
    chatAnswer({ prompt_tokens, completion_tokens: 50, ...more });

  it.each<[string, string, JsonObject, number]>([
    ['DashScope', 'ali', { enable_search: true }, 12_000],
    ['DashScope, which reads whole pages', 'ali', agent, 50_000],
    ['Qianfan', 'qianfan', { web_search: { enable: true } }, 12_000],
    ['Hunyuan', 'hunyuan', { enable_enhancement: true }, 12_000],
    ['Groq', 'zhipu', { search_settings: { country: 'france' } }, 12_000],
  ])(
    'that a switch sets off are held and paid for, with all they found: %s',
    async (_, model, more, found) => {
      expect(await costOf(model, more, read(found))).toBe(found + 2 * 50 + SEARCH);
      const body = { messages, max_tokens: 50, ...more };
      const call = { model: models[model] ?? '', path: CHAT, body, answer: () => read(found) };
      await t.relay.setBalance(found);
      expect(await storm(t, call, 12)).toBe(0);
      await t.relay.setBalance(3 * (found + 6 * SEARCH));
      expect(await storm(t, call, 12)).toBeGreaterThan(0);
      expect(await t.relay.writtenOff()).toBe(offBefore);
    },
  );

  const zhipu = (more: JsonObject = {}) => ({ tools: [{ type: 'web_search', web_search: more }] });
  const builtin = { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] };
  const ran = { type: 'search', arguments: '{}' };
  const offBuiltin = { tools: [{ ...builtin.tools[0], web_search: { enable: false } }] };
  const called = { tool_calls: [{ id: 'c', type: 'builtin_function', function: { name: '$web_search' } }] };
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  it.each<[string, string, JsonObject, JsonObject, number]>([
    ['counted', 'ali', agent, read(10, { plugins: { search: { count: 3 } } }), 3],
    ['that were none', 'ali', agent, read(10, { plugins: { search: { count: 0 } } }), 0],
    ['switched off', 'ali', { enable_search: false }, read(10), 0],
    ['switched off at Qianfan', 'qianfan', { web_search: { enable: false } }, read(10), 0],
    ['with sources', 'zhipu', zhipu(), { ...read(10), web_search: [{ link: 'a' }, { link: 'b' }] }, 1],
    ['without sources', 'zhipu', zhipu(), read(10), 1],
    ['switched off at Zhipu', 'zhipu', zhipu({ enable: false }), read(10), 0],
    ['that a model called', 'moonshot', builtin, chatAnswer(usage, '', called), 1],
    ['that a model did not call', 'moonshot', builtin, chatAnswer(usage), 0],
    ['that only Zhipu could switch off', 'moonshot', offBuiltin, chatAnswer(usage, '', called), 1],
    ['that Groq has run unasked', 'groq', {}, chatAnswer(usage, '', { executed_tools: [ran, ran] }), 2],
    ['by a switch that is on or off', 'ali', { enable_search: { enable: false } }, read(10), 1],
  ])('are paid for by their number, or once: %s', async (_, model, more, answer, searches) => {
    const cost = await costOf(model, more, answer);
    expect(Math.floor(cost / SEARCH)).toBe(searches);
  });

  it.each(['groq', 'house'])('that Groq runs unasked are held under any name (%s)', async (name) => {
    const answer = () => chatAnswer(usage, '', { executed_tools: Array.from({ length: 10 }, () => ran) });
    const call = { model: models[name] ?? '', path: CHAT, body: { messages, max_tokens: 50 }, answer };
    await t.relay.setBalance(9 * SEARCH);
    expect(await storm(t, call, 2)).toBe(0);
    await t.relay.setBalance(20 * SEARCH);
    expect(await storm(t, call, 2)).toBe(1);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it('that are switched off do not go up', async () => {
    await costOf('anyone', { ...zhipu({ enable: false }), tool_choice: 'auto' }, read(10));
    expect(t.lastSeen.body).not.toContainAnyKeys(['tools', 'tool_choice']);
  });
});
