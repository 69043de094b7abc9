/**
 * What Google's searches find for a model that is billed by the search: "Retrieved context (text or images) provided by
 * Grounding with Google Search is not charged as input tokens" (its price list). It is told all the same, beside the prompt,
 * and neither charged nor counted for the tier of long prompts. Who sells Google's answers on at an address of his own bills
 * what is told (QuantumNous/new-api, TestGeminiTextGenerationHandlerPromptTokensIncludeToolUsePromptTokens).
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { geminiAnswer } from '../support/short-answers.ts';

const FLASH = 'gemini-3-flash-preview';
const PRO = 'gemini-3.1-pro-preview';
const OLDER = 'gemini-2.5-pro';
const RESOLD = 'gemini-3.6-flash';
const RESOLD_PRO = 'gemini-3-pro-text-preview';
/** Quota units of one search, by the default prices. */
const SEARCH = 7_000;

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  // The vendor's own name stays in the address: the mock stands in the way as a proxy.
  const base_url = 'http://generativelanguage.googleapis.com';
  const google = { type: 24, base_url, setting: JSON.stringify({ proxy: t.base }) };
  await t.relay.addChannel({ ...google, models: [FLASH, PRO, OLDER].join() });
  const param_override = JSON.stringify({ tools: [{ googleSearch: {} }] });
  await t.relay.addChannel({ ...google, models: 'gemini-3-pro-preview', param_override });
  await t.relay.addChannel({ type: 24, base_url: t.base, models: [RESOLD, RESOLD_PRO].join() });
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());

const FOUND = 18_329;
/** As it was told of a live answer (QuantumNous/new-api#2935). */
const usageOf = (prompt = 151, of = 'TEXT'): JsonObject => ({
  promptTokenCount: prompt,
  candidatesTokenCount: 1_089,
  totalTokenCount: prompt + FOUND + 2_209,
  toolUsePromptTokenCount: FOUND,
  thoughtsTokenCount: 1_120,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  toolUsePromptTokensDetails: [{ modality: of, tokenCount: FOUND }],
});
const answer = (webSearchQueries: string[], usage = usageOf()): JsonObject =>
  geminiAnswer(usage, 'Gemini is called so. '.repeat(200), { groundingMetadata: { webSearchQueries } });

const CONTENTS = [{ role: 'user', parts: [{ text: 'How is Gemini called?' }] }];
const SAID = [{ role: 'user', content: 'How is Gemini called?' }];

interface Asked {
  model?: string;
  tools?: JsonObject[];
  stream?: boolean;
  contents?: JsonObject[];
}

async function rowOf(frames: readonly JsonObject[], asked: Asked = {}) {
  const { model = FLASH, tools = [{ googleSearch: {} }], stream = false, contents = CONTENTS } = asked;
  t.answers(() => (stream ? eventStream(frames) : Response.json(frames[0])));
  const way = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const got = await t.post(`/v1beta/models/${model}:${way}`, { contents, tools });
  expect(got.status).toBe(200);
  return { said: await got.text(), row: await t.row() };
}

/** US dollars a million in and out, as quota units of this call. */
const due = (input: number, output: number, searches: number, prompt = 151): number =>
  Math.round((prompt * input + 2_209 * output) / 2) + searches * SEARCH;

describe.each([false, true])('streamed: %p', (stream) => {
  it.each<[string, number, number]>([
    [FLASH, 0.5, 3],
    [PRO, 2, 12],
  ])('what was found is told and not charged: %s', async (model, input, output) => {
    for (const tool of [
      { googleSearch: {} },
      { google_search: {}, googleMaps: {} },
      { enterpriseWebSearch: {} },
    ]) {
      const { said, row } = await rowOf([answer(['a', 'b'])], { model, stream, tools: [tool] });
      expect(row).toMatchObject({
        prompt_tokens: 151,
        completion_tokens: 2_209,
        quota: due(input, output, 2),
        other: { usage_source: 'upstream', unbilled_tokens: FOUND },
      });
      expect(row.other).not.toHaveProperty('usage_suspect');
      // Its caller sees what Google tells.
      expect(said).toContain(`"toolUsePromptTokenCount":${FOUND}`);
    }
  });

  it('pictures that were found are none that was sent', async () => {
    const { row } = await rowOf([answer(['a'], usageOf(151, 'IMAGE'))], { stream });
    expect([row.prompt_tokens, row.quota]).toEqual([151, due(0.5, 3, 1)]);
  });

  it('a long prompt is as long as what was asked', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'word '.repeat(190_000) }] }];
    const { row } = await rowOf([answer(['a'], usageOf(190_000))], { model: PRO, stream, contents });
    expect([row.prompt_tokens, row.quota]).toEqual([190_000, due(2, 12, 1, 190_000)]);
  });

  it.each<[string, Asked]>([
    ['beside pages that were asked for', { tools: [{ googleSearch: {} }, { urlContext: {} }] }],
    ['beside code', { tools: [{ googleSearch: {}, codeExecution: {} }] }],
    ['of pages alone', { tools: [{ url_context: {} }] }],
    ['that nothing was asked for', { tools: [] }],
    ['at a model that is billed by the prompt', { model: OLDER }],
  ])('it is prompt as before %s', async (_, asked) => {
    const { row } = await rowOf([answer(['a'])], { ...asked, stream });
    expect(row.prompt_tokens).toBe(151 + FOUND);
    expect(row.other).not.toHaveProperty('unbilled_tokens');
  });

  it('a query that is told again, or is empty, is no search more', async () => {
    const queries = ['gemini api', 'gemini call', 'gemini api', ''];
    const { row } = await rowOf([answer(queries)], { stream });
    expect(row.quota).toBe(due(0.5, 3, 2));
  });

  it('all of it is prompt where it is sold on, and each query a search', async () => {
    const flash = await rowOf([answer(['a', 'b', 'a'])], { model: RESOLD, stream });
    expect(flash.row).toMatchObject({
      prompt_tokens: 151 + FOUND,
      quota: due(1.5, 7.5, 3, 151 + FOUND),
      other: { usage_source: 'upstream' },
    });
    expect(flash.row.other).not.toHaveProperty('unbilled_tokens');
    // It moves the call into the tier of long prompts, as it does there.
    const contents = [{ role: 'user', parts: [{ text: 'word '.repeat(190_000) }] }];
    const pro = await rowOf([answer(['a'], usageOf(190_000))], { model: RESOLD_PRO, stream, contents });
    expect(pro.row.quota).toBe(due(4, 18, 1, 190_000 + FOUND));
  });

  it.each<[string, string, JsonObject, string]>([
    ['/v1/responses', FLASH, { input: 'How?', tools: [{ type: 'web_search' }] }, 'input_tokens'],
    [
      '/v1/messages',
      FLASH,
      { messages: SAID, max_tokens: 9_000, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'input_tokens',
    ],
    [
      '/v1/chat/completions',
      'gemini-3-pro-preview',
      { messages: SAID, stream_options: stream ? { include_usage: true } : undefined },
      'prompt_tokens',
    ],
  ])('so it is for callers of other wires, who are told all: %s', async (path, model, body, count) => {
    t.answers(() => (stream ? eventStream([answer(['a', 'b'])]) : Response.json(answer(['a', 'b']))));
    const got = await t.post(path, { model, stream, ...body });
    expect(await got.text()).toContain(`"${count}":${151 + FOUND}`);
    const row = await t.row();
    expect(row).toMatchObject({ prompt_tokens: 151, other: { unbilled_tokens: FOUND } });
    const [input, output] = model === FLASH ? [0.5, 3] : [2, 12];
    expect(row.quota).toBe(due(input, output, 2));
  });
});

it('counts queries once over all frames and candidates', async () => {
  const frame = (...lists: string[][]): JsonObject => ({
    candidates: lists.map((webSearchQueries, index) => ({
      index,
      content: { role: 'model', parts: [{ text: 'So. ' }] },
      finishReason: 'STOP',
      groundingMetadata: { webSearchQueries },
    })),
  });
  const { row } = await rowOf([frame(['a', 'b'], ['b']), frame(['c']), answer(['a', '', 'd'])], {
    stream: true,
  });
  expect(row.other).toMatchObject({ tool_uses: [{ tool: 'google_search', count: 4 }] });
});
