/**
 * Dense texts: figures, marks, noise and letters of rare scripts are up to a token a byte, while prose and the JSON of tools
 * are held for by half their bytes. What a text holds less than it costs is given away to whoever sends many.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  const channels = { openai: { type: 1 }, anthropic: { type: 14 }, gemini: { type: 24 } };
  ({ t, models } = await openAttack(channels));
});
afterAll(() => t.close());

const FIGURES = '8274918237'.repeat(1_000);
const MARKS = '~)#}{[-(*&^%$@!'.repeat(600);
const APART = 'a1b2c3d4\n'.repeat(1_000);
const SINGLE = ' a b'.repeat(5_000);
const RARE = 'ሰመረቀበተ'.repeat(500);
/** Of which each comes to a token and a half beside the marks around it. */
const NOISE_WORDS = Array.from({ length: 3_500 }, (_, n) =>
  [0, 1, 2].map((at) => String.fromCharCode(97 + ((n * 73 + at * 31 + (n >> 3) * 17) % 26))).join(''),
);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Every field says anew what is said once, on a wire that has no word for a reference. */
const REFERRED = {
  type: 'object',
  $defs: { A: { type: 'string', description: 'a word and then another one is said here. '.repeat(25) } },
  properties: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`p${n}`, { $ref: '#/$defs/A' }])),
};

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
const toolOf = (description: string, parameters: JsonObject = { type: 'object' }): JsonObject => ({
  type: 'function',
  function: { name: 'f', description, parameters },
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
  'single letters that describe a tool': chat('hi', 10_000, { tools: [toolOf(SINGLE)] }),
  'single letters that a tool lets choose from': chat('hi', 10_000, {
    tools: [toolOf('d', { type: 'string', enum: [SINGLE] })],
  }),
  'words of noise that a tool lets choose from': chat('hi', 10_000, {
    tools: [toolOf('d', { type: 'string', enum: NOISE_WORDS })],
  }),
  'single letters that describe a tool in Messages': {
    model: 'anthropic',
    path: '/v1/messages',
    body: {
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 5,
      tools: [{ name: 'f', description: SINGLE, input_schema: { type: 'object' } }],
    },
    tokens: 10_000,
  },
  'a schema that refers to a part of its own, at Gemini': {
    ...chat('hi', 15_000, { tools: [toolOf('d', REFERRED)] }),
    model: 'gemini',
  },
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

const answerTo = ({ model, path, tokens }: Variant): JsonObject => {
  switch (model === 'gemini' ? model : path) {
    case '/v1/messages':
      return messagesAnswer({ input_tokens: tokens, output_tokens: 1 });
    case '/v1/responses':
      return responsesAnswer({ input_tokens: tokens, output_tokens: 1 });
    case '/v1/embeddings': {
      const data = [{ object: 'embedding', index: 0, embedding: [0.1] }];
      return { object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
    }
    case '/v1/chat/completions':
      return chatAnswer({ prompt_tokens: tokens, completion_tokens: 1 });
    default:
      return geminiAnswer({ promptTokenCount: tokens, candidatesTokenCount: 1 });
  }
};

let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});

const send = (variant: Variant, calls: number): Promise<number> => {
  const { model, path, body } = variant;
  return storm(t, { model: models[model] ?? '', path, body, answer: () => answerTo(variant) }, calls);
};

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  it('cost no more than is held, however many ask at once', async () => {
    await t.relay.setBalance(Math.floor(variant.tokens * 0.95));
    expect([await send(variant, 6), await t.relay.writtenOff()]).toEqual([0, offBefore]);
    await t.relay.setBalance(variant.tokens * 5);
    expect(await send(variant, 6)).toBeWithin(4, 6);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});

it('prose runs twice as often on the same balance', async () => {
  const prose = 'It was a bright cold day in April, and the clocks were striking thirteen. '.repeat(130);
  await t.relay.setBalance(5 * 5_000);
  expect(await send(chat(prose, 2_500), 8)).toBeGreaterThanOrEqual(5);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});
