/**
 * Pictures that cost more than was held for them: a model that makes them of output tokens goes by a name that does not say
 * so, or draws them larger. The default prices hold; the upstream tells what its vendor documents.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import prices from '../../src/options/default-prices.json' with { type: 'json' };
import { storm } from '../support/attack.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const PATH = '/v1/images/generations';
const OPENAI = 1;
const GEMINI = 24;

const DRAWING = Object.keys(prices.tokens).filter((name) => name.includes('image'));
/** The caller's names for models, with a price and without a word of what they are. */
const ALIASES = {
  'my-draw': 'gpt-image-1',
  'my-large-draw': 'gpt-image-2',
  'my-fruit': 'gemini-3-pro-image',
};
const UNKNOWN = 'somebodys-pictures';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  const { base: base_url } = t;
  const [gemini, others] = [DRAWING.filter(isGemini), DRAWING.filter((name) => !isGemini(name))];
  await t.relay.addChannel({ type: GEMINI, base_url, models: gemini.join(',') });
  await t.relay.addChannel({ type: OPENAI, base_url, models: [...others, UNKNOWN].join(',') });
  for (const [name, drawn] of Object.entries(ALIASES)) {
    const type = isGemini(drawn) ? GEMINI : OPENAI;
    await t.relay.addChannel({ type, base_url, models: name, model_mapping: { [name]: drawn } });
  }
  const named = [...Object.keys(ALIASES), UNKNOWN];
  await t.price({
    ModelRatio: Object.fromEntries(named.map((name) => [name, 2.5])),
    CompletionRatio: Object.fromEntries(named.map((name) => [name, 8])),
  });
});
beforeEach(() => t.relay.setBalance(100_000_000));
afterAll(async () => {
  expect(await t.relay.writtenOff()).toBe(0);
  await t.close();
});

const isGemini = (name: string): boolean => name.startsWith('gemini');

const geminis = (output: number): JsonObject => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 8, candidatesTokenCount: output, totalTokenCount: 8 + output },
});
const openais = (output: number): JsonObject => ({
  created: 1,
  data: [{ b64_json: 'iVBORw0KGgo=' }],
  usage: { input_tokens: 8, output_tokens: output, total_tokens: 8 + output },
});
const drawnBy = (model: string): string =>
  Object.entries(ALIASES).find(([name]) => name === model)?.[1] ?? model;
const answerOf = (model: string) => (isGemini(drawnBy(model)) ? geminis : openais);

/** One call: what was held while the upstream drew, and its row. */
async function draw(model: string, asked: JsonObject, told: number) {
  let held = 0;
  t.answers(async () => {
    held = (await t.relay.reservations()).reduce((sum, { amount }) => sum + amount, 0);
    return Response.json(answerOf(model)(told));
  });
  const response = await t.post(PATH, { model, prompt: 'a cat', ...asked });
  expect(response.status).toBe(200);
  await response.text();
  return { held, row: await t.row() };
}

type Asked = [asked: JsonObject, told: number];

/** developers.openai.com/api/docs/guides/image-generation: its table, and for the newer models its calculator. */
const OLDER: Asked[] = [
  [{}, 6240],
  [{ quality: 'low' }, 408],
  [{ quality: 'low', size: '1024x1024' }, 272],
  [{ quality: 'medium', size: '1024x1536' }, 1584],
  [{ quality: 'high', size: '1024x1024' }, 4160],
  [{ quality: 'high', size: '1536x1024' }, 6208],
];
const NEWER: Asked[] = [
  [{}, 7024],
  [{ quality: 'low', size: '3840x2160' }, 371],
  [{ quality: 'medium', size: '1024x1024' }, 1756],
  [{ quality: 'high', size: '3840x2160' }, 13_342],
  [{ quality: 'high', size: '2880 X 2880' }, 23_718],
];
/** Of 2.5 as the calculator tells it, and of 2.6 as it was told of real calls. */
const FINER: Asked[] = [
  [{}, 7024],
  [{ quality: 'medium', size: '1024x1024' }, 439],
  [{ quality: 'high', size: '1024x1024' }, 1756],
  [{ quality: 'xhigh', size: '1024x1024' }, 3122],
  [{ quality: 'max', size: '3840x2160' }, 13_342],
];
const EVENER: Asked[] = [
  [{}, 5800],
  [{ quality: 'low', size: '1024x1024' }, 850],
  [{ quality: 'low', size: '1536x1024' }, 664],
  [{ quality: 'high', size: '1536x1024' }, 1353],
  [{ quality: 'high', size: '3840x2160' }, 3337],
  [{ quality: 'max', size: '1024x1024' }, 7024],
];
/** ai.google.dev/gemini-api/docs/image-generation. */
const GEMINIS: Asked[] = [
  [{}, 1290],
  [{ size: '1792x1024' }, 1290],
];
const LARGE_GEMINIS: Asked[] = [...GEMINIS, [{ size: '4096x4096' }, 2520], [{ resolution: '4K' }, 2520]];

function askedOf(model: string): Asked[] {
  const name = drawnBy(model);
  if (isGemini(name)) return name.startsWith('gemini-2') ? GEMINIS : LARGE_GEMINIS;
  if (name.startsWith('gpt-image-2.5')) return FINER;
  if (name.startsWith('gpt-image-2.6')) return EVENER;
  return /^gpt-(image-1|5-image)/.test(name) ? OLDER : NEWER;
}

describe('what a picture costs is held for it', () => {
  it.each([...DRAWING, ...Object.keys(ALIASES), UNKNOWN])('by %s', async (model) => {
    for (const [asked, told] of askedOf(model)) {
      const { held, row } = await draw(model, asked, told);
      expect([row.completion_tokens, row.other.usage_source]).toEqual([told, 'upstream']);
      expect(row.quota).toBeGreaterThan(told);
      expect(held).toBeGreaterThanOrEqual(row.quota);
    }
  });

  it('in any number', async () => {
    const { held, row } = await draw('gpt-image-2', { n: 3, size: '3840x2160', quality: 'high' }, 3 * 13_342);
    expect(row.completion_tokens).toBe(3 * 13_342);
    expect(held).toBeGreaterThanOrEqual(row.quota);
  });
});

describe('who has too little', () => {
  it.each(['gemini-2.5-flash-image', 'my-draw', 'my-fruit'])(
    'is refused by %s, however often',
    async (model) => {
      await t.relay.setBalance(8_000);
      expect(
        await storm(
          t,
          { model, path: PATH, body: { prompt: 'a cat' }, answer: () => answerOf(model)(1290) },
          20,
        ),
      ).toBe(0);
      expect(await t.relay.account()).toMatchObject({ quota: 8_000, reserved: 0 });
    },
  );
});

describe('usage that cannot be', () => {
  it.each(['gpt-image-2', 'my-draw', UNKNOWN])(
    'of %s is charged as far as any is believed',
    async (model) => {
      const { row } = await draw(model, { quality: 'high', size: '1024x1024' }, 900_000);
      expect(row.other).toMatchObject({ usage_suspect: true });
      expect(row.completion_tokens).toBeGreaterThan(8_000);
      expect(row.completion_tokens).toBeLessThan(20_000);
    },
  );
});
