/**
 * Dense texts: figures, marks, noise and letters of rare scripts are up to a token a byte, while prompts of prose are held
 * for by half their bytes and tools by a third. What a text holds less than it costs is given away to whoever sends many.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
const models: Record<string, string> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  models.openai = await t.model(1);
  models.anthropic = await t.model(14);
  models.gemini = await t.model(24);
});
afterAll(() => t.close());

const FIGURES = '8274918237'.repeat(1_000);
const MARKS = '~)#}{[-(*&^%$@!'.repeat(600);
const APART = 'a1b2c3d4\n'.repeat(1_000);
const RARE = 'ሰመረቀበተ'.repeat(500);
const base64 = (text: string) => Buffer.from(text).toString('base64');

interface Variant {
  model: string;
  path: string;
  body: JsonObject;
  /** The tokens that the upstream makes of it. */
  tokens: number;
}

const chat = (content: JsonObject['content'], tokens: number, more: JsonObject = {}): Variant => ({
  model: 'openai',
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: content ?? '' }], max_tokens: 5, ...more },
  tokens,
});
const toolOf = (description: string): JsonObject => ({
  type: 'function',
  function: { name: 'f', description, parameters: { type: 'object' } },
});

const VARIANTS: Record<string, Variant> = {
  'figures in a chat': chat(FIGURES, 10_000),
  'marks in a chat': chat(MARKS, 9_000),
  'single letters and figures on lines': chat(APART, 9_000),
  'letters of a rare script': chat(RARE, 9_000),
  'a file of figures': chat(
    [{ type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${base64(FIGURES)}` } }],
    10_000,
  ),
  'figures in many parts': chat(
    Array.from({ length: 100 }, () => ({ type: 'text', text: '7129837465'.repeat(10) })),
    10_000,
  ),
  'figures that describe a tool': chat('hi', 10_000, { tools: [toolOf(FIGURES)] }),
  'marks that describe a tool': chat('hi', 9_000, { tools: [toolOf(MARKS)] }),
  'figures in Responses': {
    model: 'openai',
    path: '/v1/responses',
    body: { input: FIGURES, max_output_tokens: 16 },
    tokens: 10_000,
  },
  'figures in Messages': {
    model: 'anthropic',
    path: '/v1/messages',
    body: { messages: [{ role: 'user', content: FIGURES }], max_tokens: 5 },
    tokens: 10_000,
  },
  'figures in Gemini': {
    model: 'gemini',
    path: '/v1beta/models/MODEL:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: FIGURES }] }],
      generationConfig: { maxOutputTokens: 5 },
    },
    tokens: 10_000,
  },
  'figures to embed': { model: 'openai', path: '/v1/embeddings', body: { input: [FIGURES] }, tokens: 10_000 },
};

const answerTo = ({ path }: Variant, tokens: number): JsonObject => {
  if (path === '/v1/messages') {
    const usage = { input_tokens: tokens, output_tokens: 1 };
    const content = [{ type: 'text', text: 'ok' }];
    return {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'end_turn',
      usage,
    };
  }
  if (path === '/v1/responses') {
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }];
    return {
      id: 'r',
      object: 'response',
      status: 'completed',
      output,
      usage: { input_tokens: tokens, output_tokens: 1 },
    };
  }
  if (path === '/v1/embeddings') {
    const data = [{ object: 'embedding', index: 0, embedding: [0.1] }];
    return { object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  }
  if (path.includes('MODEL')) {
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: tokens, candidatesTokenCount: 1 },
    };
  }
  return {
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokens, completion_tokens: 1 },
  };
};

let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});

/** So many calls at once, answered when all are with the upstream or refused; how many it was asked. */
async function storm(variant: Variant, calls: number): Promise<number> {
  const model = models[variant.model] ?? '';
  const isGemini = variant.path.includes('MODEL');
  let atUpstream = 0;
  let refused = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (atUpstream + refused >= calls) resolve();
  };
  t.answers(async () => {
    atUpstream++;
    look();
    await all;
    return Response.json(answerTo(variant, variant.tokens));
  });
  await Promise.all(
    Array.from({ length: calls }, async () => {
      const body = isGemini ? variant.body : { model, ...variant.body };
      const got = await t.post(variant.path.replace('MODEL', model), body);
      if (got.status === 200) return;
      expect(got.status).toBe(403);
      refused++;
      look();
    }),
  );
  while ((await t.relay.reservations()).length > 0) await Bun.sleep(10);
  return atUpstream;
}

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  it('cost no more than is held, however many ask at once', async () => {
    await t.relay.setBalance(Math.floor(variant.tokens * 0.95));
    expect([await storm(variant, 6), await t.relay.writtenOff()]).toEqual([0, offBefore]);
    await t.relay.setBalance(variant.tokens * 5);
    expect(await storm(variant, 6)).toBeWithin(4, 6);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});

it('prose runs twice as often on the same balance', async () => {
  const prose = 'It was a bright cold day in April, and the clocks were striking thirteen. '.repeat(130);
  await t.relay.setBalance(5 * 5_000);
  expect(await storm(chat(prose, 2_500), 8)).toBeGreaterThanOrEqual(5);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});
