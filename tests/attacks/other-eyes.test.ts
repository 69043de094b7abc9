/**
 * An earlier answer that another model goes on from than gave it: one makes 33 times as many tokens of a picture as the
 * other, and several times as many of some scripts. Held as the first was told, the rest is given away.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import type { OperationSeen, Operations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

const MODELS = [
  'gpt-4o-2024-11-20',
  'chatgpt-4o-latest',
  'gpt-4o-mini',
  'gpt-4-turbo',
  'gpt-4.1-mini',
  'gpt-5',
  'qwen-vl-max',
  'house',
];
const SOUND = 8;

let t: Operations;
beforeAll(async () => {
  ({ t } = await openAttack({
    all: { type: 1, named: MODELS.join(','), model_mapping: { house: 'qwen-vl-max' } },
  }));
  const each = (ratio: number) => Object.fromEntries(MODELS.map((model) => [model, ratio]));
  await t.price({ ModelRatio: each(1), CompletionRatio: each(1), AudioRatio: each(SOUND) });
});
afterAll(() => t.close());

let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});

/** 1,024 points either way. */
const HEAD = '89504e470d0a1a0a0000000d4948445200000400000004000800000000000000000000000a49444154';
const image_url = `data:image/png;base64,${Buffer.from(HEAD, 'hex').toString('base64')}`;
const PICTURES = 4;
const pictures = [
  {
    role: 'user',
    content: Array.from({ length: PICTURES }, () => ({ type: 'input_image', image_url, detail: 'high' })),
  },
];
const TEXT = 'नमस्ते दुनिया '.repeat(1_000);

/** What each makes of it, by its vendor's rules; of what nobody knows, as much as of anything. */
const OF_PICTURE: Record<string, number> = {
  'gpt-4o-2024-11-20': 765,
  'chatgpt-4o-latest': 765,
  'gpt-4.1-mini': 1_659,
};
const OF_TEXT: Record<string, number> = { 'gpt-4-turbo': 14_000, 'qwen-vl-max': 19_000 };
const read = {
  pictures: (model: string) => PICTURES * (OF_PICTURE[model] ?? 25_501),
  text: (model: string) => OF_TEXT[model] ?? 4_000,
};

let answers = 0;
const ask = (
  model: string,
  tokens: number,
  { calls = 1, more = {}, ...body }: { calls?: number; more?: JsonObject } & JsonObject,
): Promise<number> => {
  const usage = { input_tokens: tokens, output_tokens: 1, ...more };
  const answer = (_: OperationSeen) => responsesAnswer(usage, { id: `resp_${++answers}` });
  return storm(t, { model, path: '/v1/responses', body: { max_output_tokens: 16, ...body }, answer }, calls);
};
const next = (): JsonObject => ({ input: 'And?', previous_response_id: `resp_${answers}` });

describe.each<[what: keyof typeof read, input: JsonObject[] | string, first: string, second: string]>([
  ['pictures', pictures, 'gpt-4o-2024-11-20', 'gpt-4o-mini'],
  ['pictures', pictures, 'chatgpt-4o-latest', 'gpt-4.1-mini'],
  ['pictures', pictures, 'chatgpt-4o-latest', 'qwen-vl-max'],
  ['text', TEXT, 'chatgpt-4o-latest', 'gpt-4-turbo'],
  ['text', TEXT, 'chatgpt-4o-latest', 'qwen-vl-max'],
])('%s', (what, input, first, second) => {
  it(`that ${first} has read are not read on credit by ${second}`, async () => {
    await t.relay.setBalance(10_000_000);
    expect(await ask(first, read[what](first), { input })).toBe(1);
    await t.relay.setBalance(Math.floor(read[what](second) * 0.9));
    expect(await ask(second, read[what](second), { ...next(), calls: 6 })).toBe(0);
    // Through one that tells little of it, or nothing.
    await t.relay.setBalance(10_000_000);
    expect(await ask(second, read[what](second), next())).toBe(1);
    await t.relay.setBalance(Math.floor(read[what](second) * 0.9));
    expect(await ask(second, read[what](second), { ...next(), calls: 6 })).toBe(0);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});

it('sound that an answer has read is not read again at the price of text', async () => {
  const told = { input_tokens_details: { audio_tokens: 5_000 } };
  await t.relay.setBalance(10_000_000);
  expect(await ask('chatgpt-4o-latest', 5_100, { input: 'Hear.', more: told })).toBe(1);
  await t.relay.setBalance(6_000);
  expect(await ask('chatgpt-4o-latest', 5_200, { ...next(), calls: 6, more: told })).toBe(0);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

describe('goes on as long as it was told', () => {
  it.each<[what: string, of: keyof typeof read, input: JsonObject[] | string, models: string[]]>([
    ['a talk about pictures with one model', 'pictures', pictures, ['gpt-4o-mini', 'gpt-4o-mini']],
    [
      'one with a model by its day',
      'pictures',
      pictures,
      ['gpt-4o-2024-11-20', 'chatgpt-4o-latest', 'chatgpt-4o-latest'],
    ],
    ['one with a model by two names', 'pictures', pictures, ['house', 'qwen-vl-max', 'house']],
    ['a talk with one that nobody knows', 'text', TEXT, ['qwen-vl-max', 'qwen-vl-max']],
    [
      'a talk with models of one vocabulary',
      'text',
      TEXT,
      ['chatgpt-4o-latest', 'gpt-4.1-mini', 'gpt-5', 'gpt-4o-mini'],
    ],
  ])('%s', async (_, of, input, models) => {
    await t.relay.setBalance(10_000_000);
    const [first = '', ...others] = models;
    expect(await ask(first, read[of](first), { input })).toBe(1);
    for (const model of others) {
      const tokens = read[of](model);
      await t.relay.setBalance(Math.ceil(tokens * 1.1));
      expect(await ask(model, tokens, next())).toBe(1);
    }
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});
