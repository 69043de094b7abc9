import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openApi, type TestApi } from '../../tests/support/api.ts';
import { decimalText } from '../core/decimal.ts';
import { reserveSteps } from '../core/price-bound.ts';
import { type Quote, quotaOf, quotesByMonth } from '../core/price-formula.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { defaultCallMap, defaultMap, defaultPriceOf, defaultTiersOf } from '../options/default-ratios.ts';
import type { OptionKey } from '../options/registry.ts';
import { quoteFor } from './price.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('pglite');
});
afterAll(() => api.close());

const set = (values: Partial<Record<OptionKey, unknown>>) =>
  api.deps.options.set(
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  );
const ask = (model: string, more: { group?: string; userGroup?: string; acceptUnset?: boolean } = {}) =>
  quoteFor(api.deps.options, { model, group: 'default', userGroup: 'default', acceptUnset: false, ...more });
/** What a million input tokens cost in quota units: the model's ratio × 1,000,000 × the group's. */
const inputOf = (quote: Quote | null) => quote && quotaOf(quote, { ...noUsage(), input: 1_000_000 });

test('the dated table prices what the options do not name', () => {
  const listed = defaultPriceOf('gpt-4o');
  expect(ask('gpt-4o')).toMatchObject({ source: 'default', selfUse: false, userGroupRatio: null });
  expect(inputOf(ask('gpt-4o'))).toBe((listed?.model ?? 0) * 1_000_000);
  expect(ask('no-such-model')).toBeNull();
  expect(ask('constructor')).toBeNull();
});

test('the operator’s tables win, factor by factor, from the next call on', async () => {
  await set({ ModelRatio: { 'gpt-4o': 3, 'own-model': 0.1 }, CompletionRatio: { 'own-model': 6 } });
  expect(ask('gpt-4o')).toMatchObject({ source: 'option' });
  expect(inputOf(ask('gpt-4o'))).toBe(3_000_000);
  const own = ask('own-model');
  expect(own && quotaOf(own, { ...noUsage(), output: 1000 })).toBe(600);
  const gpt = ask('gpt-4o');
  const completion = defaultPriceOf('gpt-4o')?.completion ?? 0;
  expect(gpt && quotaOf(gpt, { ...noUsage(), output: 1000 })).toBe(3 * completion * 1000);
  // Left out of the operator's table, another model keeps its default price.
  expect(ask('gpt-4o-mini')).toMatchObject({ source: 'default' });
});

test('a fixed price wins over ratios', async () => {
  await set({ ModelPrice: { 'gpt-4o': 0.04 } });
  expect(ask('gpt-4o')).toMatchObject({ source: 'option', price: { kind: 'call' } });
  expect(inputOf(ask('gpt-4o'))).toBe(20_000);
  await set({ ModelPrice: {} });
});

test('tiers win over ratios, and keep the cache ratios of what they do not name', async () => {
  await set({
    ModelTieredPrice: {
      'tier-model': [
        { up_to: 1000, input: 2, output: 4 },
        { up_to: null, input: 4, output: 4, cache_read: 1 },
      ],
    },
    ModelRatio: { 'tier-model': 50 },
    CacheRatio: { 'tier-model': 0.5 },
  });
  const quote = ask('tier-model');
  const cost = (usage: object) => quote && quotaOf(quote, { ...noUsage(), ...usage });
  expect(quote).toMatchObject({ source: 'option' });
  expect(cost({ input: 1000, output: 10 })).toBe(1000 + 20);
  expect(cost({ input: 1001, output: 10 })).toBe(2002 + 20);
  expect(cost({ cacheRead: 1000 })).toBe(500);
  expect(cost({ cacheRead: 2000 })).toBe(1000);
  await set({ ModelPrice: { 'tier-model': 0.01 } });
  expect(ask('tier-model')).toMatchObject({ price: { kind: 'call' } });
  await set({ ModelPrice: {}, ModelTieredPrice: {}, ModelRatio: {}, CacheRatio: {} });
});

/** Of a call, by dollars a million: 1 is half a unit a token. */
const costOf = (model: string, usage: Partial<Usage>) => {
  const quote = ask(model);
  return quote && quotaOf(quote, { ...noUsage(), ...usage });
};

test.each([
  ['gemini-2.5-pro', { input: 200_000, output: 100 }, 200_000 * 0.625 + 100 * 5],
  ['gemini-2.5-pro', { input: 200_001, output: 100 }, 250_001 + 100 * 7.5],
  ['gemini-3-pro-preview', { input: 100_000, cacheRead: 100_001 }, 200_000 + 20_000],
  ['gpt-5.4-2026-03-05', { input: 271_999, output: 100 }, 339_999 + 100 * 7.5],
  ['gpt-5.4-2026-03-05', { input: 72_000, cacheRead: 200_000, output: 100 }, 180_000 + 50_000 + 100 * 11.25],
  // Half a day, which costs two and a half times as much as input.
  ['gpt-5.6-terra', { cacheWrite: 172_000, cacheWriteHour: 100_000 }, 172_000 * 2.5 + 100_000 * 5],
  ['gpt-6.2-sol', { cacheWrite: 100, cacheWriteHour: 100 }, 100 * 1.25 + 100 * 2.5],
  ['gpt-6.2-astra', { input: 272_001, cacheWriteHour: 1 }, 272_001 * 8 + 20],
  ['gpt-6-sol', { input: 272_001, output: 100 }, 544_002 + 100 * 7.5],
  ['claude-haiku-5-5', { input: 60_000, cacheRead: 40_000, output: 100 }, 3_000 + 200 + 25],
  ['claude-haiku-5-5', { input: 60_004, cacheRead: 40_000, output: 100 }, 15_001 + 1_000 + 125],
  ['claude-haiku-5-5', { input: 60_000, cacheWriteHour: 40_001 }, 15_000 + 20_001],
  ['grok-4.3', { input: 200_000, output: 100 }, 250_000 + 100 * 2.5],
  ['claude-sonnet-4-6', { input: 900_000, cacheWriteHour: 1 }, 900_000 * 1.5 + 3],
  ['minimax-m3', { input: 512_001 }, 153_600],
  ['qwen3-max', { input: 32_001, output: 100 }, 38_401 + 100 * 6],
  ['qwen3-max', { input: 100_000, cacheRead: 100_000 }, 150_000 + 30_000],
  ['qwen3-coder-plus', { input: 256_001, output: 100 }, 768_003 + 100 * 30],
  ['doubao-seed-1-6', { input: 100_000, cacheRead: 100_000, output: 100 }, 25_000 + 2_500 + 100 * 2],
  // 7.3 yuan are a dollar.
  ['ernie-4.5-turbo-128k', { input: 7_300, cacheRead: 7_300, output: 7_300 }, 400 + 100 + 1_600],
  ['ernie-x1-turbo-32k', { input: 7_300, output: 73_000 }, 500 + 20_000],
  ['doubao-1-5-pro-32k', { input: 7_300, output: 7_300 }, 400 + 1_000],
  ['hunyuan-pro', { input: 7_300, output: 7_300 }, 15_000 + 50_000],
  ['SparkDesk-v1.1', { input: 7_300, output: 7_300 }, 0],
  // What the vendors keep unasked.
  ['qwen-plus', { input: 1_000, cacheRead: 19_000, output: 200 }, 200 + 760 + 120],
  ['qwen-plus', { cacheRead: 256_001, output: 100 }, 30_720 + 180],
  [
    'qwen3-coder-plus',
    { input: 2_000, cacheRead: 30_000, cacheWrite: 400, output: 100 },
    1_800 + 5_400 + 450 + 450,
  ],
  ['qwen-turbo', { input: 1_000, cacheRead: 19_000 }, 25 + 95],
  ['codestral-latest', { input: 1_000, cacheRead: 19_000, output: 100 }, 150 + 285 + 45],
  ['kimi-k2', { input: 1_000, cacheRead: 19_000, output: 100 }, 300 + 1_425 + 125],
  // In its dearest hours.
  ['deepseek-flash', { input: 1_000, cacheRead: 10_000, output: 1_000 }, 150 + 30 + 600],
  ['deepseek-v4-flash', { input: 1_000, cacheRead: 10_000, output: 1_000 }, 150 + 30 + 600],
  // At the dearest of those who usually serve it.
  ['gpt-oss-120b', { input: 1_000, output: 1_000 }, 175 + 375],
] as const)('%s asks of %j what its vendor does', (model, usage, quota) => {
  expect(ask(model)).toMatchObject({ source: 'default' });
  expect(costOf(model, usage)).toBe(quota);
});

test.each([
  ['gemini-2.5-flash', 19_000, 950],
  ['gemini-2.5-flash-lite', 19_000, 285],
  ['gemini-2.0-flash', 19_000, 1_663],
  ['gemini-3-flash-preview', 19_000, 950],
  ['gpt-realtime', 28_000, 5_600],
  ['gpt-4o-realtime-preview', 28_000, 35_000],
  ['gpt-realtime-mini', 28_000, 4_200],
  ['gpt-realtime-2.1-mini', 28_000, 4_200],
  ['gpt-4o-mini-realtime-preview', 28_000, 4_200],
  // No discount is listed for what it reads from a cache.
  ['gpt-audio', 1_000, 16_000],
])('%s asks of sound from a cache what its vendor does', (model, cacheReadAudio, quota) => {
  expect(costOf(model, { cacheReadAudio })).toBe(quota);
});

test.each<[what: string, model: string, said: { AudioRatio?: number; CacheRatio?: number }, ratio: string]>([
  ['is as much cheaper as text', 'my-ears', { AudioRatio: 8, CacheRatio: 0.25 }, '2'],
  ['costs what cached text does where sound costs what text does', 'my-ears', { CacheRatio: 0.25 }, '0.25'],
  ['costs what sound does where no cache has a price', 'my-ears', { AudioRatio: 8 }, '8'],
  ["grows with the operator's sound", 'gemini-2.5-flash', { AudioRatio: 6 }, '0.6'],
  ["grows with the operator's sound, by the list's share", 'gpt-realtime', { AudioRatio: 16 }, '0.2'],
  ["follows the operator's cache", 'gemini-2.5-flash-lite', { CacheRatio: 0.5 }, '1.5'],
  ["follows the operator's cache, by the list's share", 'gpt-realtime', { CacheRatio: 0.2 }, '0.2'],
  ['is no cheaper than cached text where sound is not', 'gpt-realtime', { AudioRatio: 1 }, '0.1'],
  ['is free where sound is', 'gpt-realtime', { AudioRatio: 0 }, '0'],
])('sound from a cache %s', async (_what, model, { AudioRatio, CacheRatio }, ratio) => {
  await set({
    ModelRatio: { [model]: 7 },
    ...(AudioRatio !== undefined && { AudioRatio: { [model]: AudioRatio } }),
    ...(CacheRatio !== undefined && { CacheRatio: { [model]: CacheRatio } }),
  });
  const { price } = ask(model) ?? {};
  expect(price?.kind === 'tokens' && decimalText(price.ratios.cacheReadAudio)).toBe(ratio);
  await set({ ModelRatio: {}, AudioRatio: {}, CacheRatio: {} });
});

test('sound from a cache costs in each tier what its cache says', async () => {
  const tiers = [
    { up_to: 1000, input: 2, output: 4, cache_read: 0.5 },
    { up_to: null, input: 4, output: 4, cache_read: 2 },
  ];
  await set({ ModelTieredPrice: { 'tier-ears': tiers }, AudioRatio: { 'tier-ears': 8 } });
  expect(costOf('tier-ears', { cacheReadAudio: 1000 })).toBe(2_000);
  expect(costOf('tier-ears', { cacheReadAudio: 2000 })).toBe(16_000);
  await set({ ModelTieredPrice: {}, AudioRatio: {} });
});

test('what is held for a prompt covers what any of its lengths costs by the default table', () => {
  const tiered = Object.keys(defaultMap('model')).filter((model) => defaultTiersOf(model));
  expect(tiered.length).toBeGreaterThan(40);
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const call = { choices: 1, extends: false, audioOut: false, calls: 1 };
  fc.assert(
    fc.property(
      fc.constantFrom(...tiered),
      fc.nat(1_200_000),
      fc.nat(9_999),
      share,
      (model, text, most, part) => {
        const quote = ask(model);
        if (!quote) throw new Error(`${model} has no price`);
        const prompt = { text, audio: 0, image: 0, written: 'hour' as const };
        const [{ amount }] = reserveSteps(quote, { ...call, prompt, outputCap: most }, 0);
        const input = Math.floor(text * part);
        const rest = { cacheRead: Math.floor((text - input) * part), output: most };
        for (const usage of [
          { input, ...rest },
          { cacheWrite: input, ...rest },
          { cacheWriteHour: input, ...rest },
        ])
          expect(quotaOf(quote, { ...noUsage(), ...usage })).toBeLessThanOrEqual(amount);
      },
    ),
  );
});

test('an operator’s word on a model that has tiers by default', async () => {
  const long = { input: 200_001, output: 100 };
  // A table that was saved whole, with one number changed, says nothing new of the others.
  await set({
    ModelRatio: { ...defaultMap('model'), 'own-model': 3 },
    CompletionRatio: defaultMap('completion'),
  });
  expect(ask('gemini-2.5-pro')).toMatchObject({ source: 'default' });
  expect(costOf('gemini-2.5-pro', long)).toBe(250_001 + 750);
  // A factor of his own holds at every length.
  await set({ CompletionRatio: { 'gemini-2.5-pro': 4 }, CacheRatio: { 'gemini-2.5-pro': 0.5 } });
  expect(costOf('gemini-2.5-pro', long)).toBe(250_001 + 500);
  expect(costOf('gemini-2.5-pro', { cacheRead: 200_002 })).toBe(125_001);
  expect(costOf('gemini-2.5-pro', { input: 1000, output: 100 })).toBe(625 + 250);
  // Another ratio is another price, for any length.
  await set({ ModelRatio: { 'gemini-2.5-pro': 2 }, CompletionRatio: {}, CacheRatio: {} });
  expect(ask('gemini-2.5-pro')).toMatchObject({ source: 'option' });
  expect(costOf('gemini-2.5-pro', long)).toBe(400_002 + 1600);
  // Tiers of his own take the place of all.
  await set({
    ModelRatio: {},
    ModelTieredPrice: { 'gemini-2.5-pro': [{ up_to: null, input: 1.25, output: 10 }] },
  });
  expect(costOf('gemini-2.5-pro', long)).toBe(125_001 + 500);
  await set({ ModelTieredPrice: {}, UnsoldModels: { 'gemini-2.5-pro': true } });
  expect(ask('gemini-2.5-pro')).toBeNull();
  await set({ UnsoldModels: {} });
});

test('what the operator has taken out of sale nobody gets at the price of what has none', async () => {
  const asked = ['gemini-2.5-pro', 'gemini-2.5-pro-thinking', 'no-such-model'];
  const sources = () => asked.map((model) => ask(model, { acceptUnset: true })?.source ?? null);
  expect(sources()).toEqual(['default', 'default', 'unset']);
  await set({ UnsoldModels: { 'gemini-2.5-pro': true } });
  expect(sources()).toEqual([null, null, 'unset']);
  await set({ SelfUseModeEnabled: 'true' });
  expect(sources()).toEqual([null, null, 'unset']);
  await set({ ModelRatio: { 'gemini-2.5-pro-thinking': 1 } });
  expect(sources()).toEqual([null, 'option', 'unset']);
  await set({ UnsoldModels: {}, SelfUseModeEnabled: 'false', ModelRatio: {} });
});

test('what is out of sale stays so in tables that are saved whole, by whatever it is priced', async () => {
  const unsold = ['gpt-4o', 'gemini-2.5-pro', 'dall-e-3'];
  await set({
    UnsoldModels: Object.fromEntries(unsold.map((model) => [model, true])),
    ModelRatio: { ...defaultMap('model'), 'own-model': 3 },
    ModelPrice: defaultCallMap(),
  });
  expect(unsold.map((model) => ask(model, { acceptUnset: true }))).toEqual([null, null, null]);
  await set({
    ModelRatio: { 'gpt-4o': 1, 'gemini-2.5-pro': 1 },
    ModelPrice: { 'dall-e-3': 0.05 },
  });
  expect(unsold.map((model) => ask(model)?.source)).toEqual(['option', 'option', 'option']);
  await set({ UnsoldModels: {}, ModelRatio: {}, ModelPrice: {} });
});

test('sound that has no price of its own costs what any other output does', async () => {
  await set({
    ModelRatio: { 'a-voice': 0.5, 'a-heard-voice': 1 },
    CompletionRatio: { 'a-voice': 20, 'a-heard-voice': 4 },
    AudioRatio: { 'a-heard-voice': 8 },
    ModelTieredPrice: { 'tier-voice': [{ up_to: null, input: 2, output: 24 }] },
  });
  const spoken = (model: string) => {
    const quote = ask(model);
    return quote && quotaOf(quote, { ...noUsage(), outputAudio: 1200 });
  };
  expect(spoken('a-voice')).toBe(1200 * 0.5 * 20);
  expect(spoken('tier-voice')).toBe(1200 * 12);
  // A ratio of sound is one of its own.
  expect(spoken('a-heard-voice')).toBe(1200 * 8);
  await set({ ModelRatio: {}, CompletionRatio: {}, AudioRatio: {}, ModelTieredPrice: {} });
  // A minute, which its maker says costs about $0.015 (developers.openai.com/api/docs/pricing).
  expect(spoken('gpt-4o-mini-tts')).toBe(7200);
  // It counts characters: of its sound no more than the least charge.
  expect(spoken('tts-1')).toBe(1);
  expect(spoken('gpt-audio')).toBe(1200 * 32);
});

test('a price by the month leaves the tier to the settlement, and is held for by the dearest', async () => {
  await set({
    ModelTieredPrice: {
      'month-model': {
        by: 'month',
        tiers: [
          { up_to: 1_000_000, input: 2, output: 2 },
          { up_to: 2_000_000, input: 4, output: 2 },
          { up_to: null, input: 1, output: 1 },
        ],
      },
    },
  });
  const quote = ask('month-model');
  expect(quote && quotesByMonth(quote).map((tier) => [tier.upTo, inputOf(tier.quote)])).toEqual([
    [1_000_000, 1_000_000],
    [2_000_000, 2_000_000],
    [null, 500_000],
  ]);
  expect(inputOf(quote)).toBe(2_000_000);
  const plain = ask('gpt-4o');
  expect(plain && quotesByMonth(plain)).toEqual([]);
  await set({ ModelTieredPrice: {} });
});

test('what is priced by the call in the dated table costs that until the operator says otherwise', async () => {
  expect(ask('dall-e-3')).toMatchObject({ source: 'default', price: { kind: 'call' } });
  expect(inputOf(ask('dall-e-3'))).toBe(20_000);
  await set({ ModelRatio: { 'dall-e-3': 2 } });
  expect(ask('dall-e-3')).toMatchObject({ source: 'option', price: { kind: 'tokens' } });
});

test('a name that asks a model to think costs what the model costs, unless a table names it', async () => {
  expect(ask('gpt-4o-mini')).toMatchObject({ source: 'default' });
  for (const [name, base] of [
    ['claude-sonnet-4-5-20250929-thinking', 'claude-sonnet-4-5-20250929'],
    ['gemini-2.5-flash-thinking-1024', 'gemini-2.5-flash'],
    ['o4-mini-low', 'o4-mini'],
  ] as const) {
    const quote = ask(base);
    expect(quote).not.toBeNull();
    expect(ask(name)).toEqual(quote);
  }
  await set({ ModelRatio: { 'o4-mini-low': 9 } });
  expect(inputOf(ask('o4-mini-low'))).toBe(9_000_000);
  expect(ask('no-such-model-thinking')).toBeNull();
});

test('what is sold is the name that has the rate, whatever else asks the model to think', async () => {
  const sold = (name: string) => ask(name, { acceptUnset: true })?.sold;
  const names = ['', '-thinking-1024', '-thinking-01024', '-nothinking', '-thinking-1-thinking-2'];
  expect(new Set(names.map((name) => sold(`gemini-2.5-flash${name}`)))).toEqual(
    new Set(['gemini-2.5-flash']),
  );
  expect(['gpt-5-low', 'o4-mini-high', 'no-such-claude-thinking-thinking'].map(sold)).toEqual([
    'gpt-5',
    'o4-mini-high', // the dated table has a rate of this one
    'no-such-claude',
  ]);
  await set({ ModelRatio: { 'o4-mini': 9, 'gemini-2.5-flash-thinking-1': 3 } });
  expect(
    ['o4-mini-high', 'gemini-2.5-flash-thinking-1-thinking', 'gemini-2.5-flash-thinking'].map(sold),
  ).toEqual(['o4-mini', 'gemini-2.5-flash-thinking-1', 'gemini-2.5-flash']);
  await set({ ModelRatio: {} });
});

test('a ratio of a name that asks a model to think leaves it the factors of the model', async () => {
  const [model, name] = ['claude-sonnet-4-5', 'claude-sonnet-4-5-thinking'];
  const listed = defaultPriceOf(model);
  await set({ ModelRatio: { [name]: 2 } });
  expect(costOf(name, { input: 1000, output: 1000 })).toBe(2000 * (1 + (listed?.completion ?? 0)));
  expect(costOf(name, { cacheRead: 1000 })).toBe(200);
  // What the operator says of the model's factors holds for it as well, and what he says of its own before that.
  await set({ CompletionRatio: { [model]: 6 }, CacheRatio: { [model]: 0.5, [name]: 0.2 } });
  expect(costOf(name, { output: 1000 })).toBe(12_000);
  expect(costOf(name, { cacheRead: 1000 })).toBe(400);
  // And what its own tiers do not name goes by them.
  await set({ ModelRatio: {}, ModelTieredPrice: { [name]: [{ up_to: null, input: 4, output: 8 }] } });
  expect(costOf(name, { output: 1000 })).toBe(4000);
  expect(costOf(name, { cacheRead: 1000 })).toBe(400);
  await set({ ModelTieredPrice: {}, CompletionRatio: {}, CacheRatio: {} });
});

test('a call that thinks costs what the table says of its output, and never less than one that does not', async () => {
  // In quota units: $1.2 a million tokens of output, $4 of a call that thinks, thrice as much of a long prompt.
  const said = { output: 1000 };
  const thought = { output: 1000, reasoning: 900 };
  expect([costOf('qwen-plus', said), costOf('qwen-plus', thought)]).toEqual([600, 2000]);
  const long = { input: 256_001 };
  expect(costOf('qwen-plus', { ...long, ...said })).toBe(153_601 + 1800);
  expect(costOf('qwen-plus', { ...long, ...thought })).toBe(153_601 + 6000);
  expect([costOf('qwen3-32b', said), costOf('qwen3-32b', thought)]).toEqual([1400, 4200]);
  // A factor of the operator's holds in every tier; who asks more for words asks as much for thoughts.
  await set({ ThinkingCompletionRatio: { 'qwen-plus': 5, 'qwen3-32b': 5 } });
  expect(costOf('qwen-plus', thought)).toBe(1000);
  expect(costOf('qwen-plus', { ...long, ...thought })).toBe(153_601 + 3000);
  expect(costOf('qwen3-32b', thought)).toBe(1750);
  await set({ ThinkingCompletionRatio: {}, CompletionRatio: { 'qwen-plus': 20, 'qwen3-32b': 20 } });
  for (const usage of [said, thought])
    expect([costOf('qwen-plus', usage), costOf('qwen3-32b', usage)]).toEqual([4000, 7000]);
  await set({ CompletionRatio: {} });
  // Tiers that do not name it follow the ratio of the model, of which there may be none.
  const tiers = [{ up_to: null, input: 2, output: 4 }];
  await set({ ModelTieredPrice: { 'qwen-plus': tiers, house: tiers } });
  expect([costOf('qwen-plus', said), costOf('qwen-plus', thought)]).toEqual([2000, 10_000]);
  expect([costOf('house', said), costOf('house', thought)]).toEqual([2000, 2000]);
  const named = [{ up_to: null, input: 2, output: 4, output_thinking: 3 }];
  await set({ ModelTieredPrice: { 'qwen-plus': named, house: { by: 'month', tiers: named } } });
  for (const model of ['qwen-plus', 'house'])
    expect([costOf(model, said), costOf(model, thought)]).toEqual([2000, 1500]);
  await set({ ModelTieredPrice: {} });
  // Others cost the same whether they think or not.
  expect(costOf('gpt-5', thought)).toBe(costOf('gpt-5', said));
});

test('pictures cost what the table says of them, and never less than words', async () => {
  const model = 'gpt-5-image';
  // In quota units: $10 a million tokens of text, $40 of pictures.
  expect(costOf(model, { output: 1000, outputImage: 1000 })).toBe(5000 + 20_000);
  await set({ CompletionRatio: { [model]: 2 } });
  expect(costOf(model, { output: 1000, outputImage: 1000 })).toBe(10_000 + 20_000);
  // Who priced the words as pictures sells both so.
  await set({ CompletionRatio: { [model]: 6 } });
  expect(costOf(model, { output: 1000, outputImage: 1000 })).toBe(30_000 + 30_000);
  await set({ CompletionRatio: {}, ImageCompletionRatio: { [model]: 3 } });
  expect(costOf(model, { output: 1000, outputImage: 1000 })).toBe(5000 + 15_000);
  await set({
    ImageCompletionRatio: { drawer: 8 },
    ModelTieredPrice: { drawer: [{ up_to: null, input: 2, output: 4 }] },
  });
  expect(costOf('drawer', { output: 1000, outputImage: 1000 })).toBe(2000 + 8000);
  await set({ ImageCompletionRatio: {} });
  expect(costOf('drawer', { outputImage: 1000 })).toBe(2000);
  await set({ ModelTieredPrice: {} });
});

describe('a name that asks a model to think and that only the dated table knows', () => {
  afterEach(() =>
    set({
      ModelRatio: {},
      ModelPrice: {},
      CompletionRatio: {},
      CacheRatio: {},
      CreateCacheRatio: {},
      ModelTieredPrice: {},
      UnsoldModels: {},
    }),
  );

  test.each<[what: string, said: Partial<Record<OptionKey, unknown>>]>([
    ['its ratio', { ModelRatio: { 'o4-mini': 10 } }],
    ['its price a call', { ModelPrice: { 'o4-mini': 0.5 } }],
    ['its tiers', { ModelTieredPrice: { 'o4-mini': [{ up_to: null, input: 9, output: 90 }] } }],
    ['a factor alone', { CompletionRatio: { 'o4-mini': 40 } }],
    ['a factor of 1 alone', { CreateCacheRatio: { 'o4-mini': 1 } }],
    ['its ratio among all others', { ModelRatio: { ...defaultMap('model'), 'o4-mini': 10 } }],
  ])('costs what the model costs where the operator names that: %s', async (_, said) => {
    await set(said);
    const quote = ask('o4-mini');
    expect(quote).not.toBeNull();
    // Where the dated table has the rate, it is of the name's own.
    const sold = expect.any(String);
    for (const name of ['o4-mini-high', 'o4-mini-high-low'])
      expect(ask(name)).toEqual(quote && { ...quote, sold });
  });

  test.each<[what: string, said: Partial<Record<OptionKey, unknown>>, usage: Partial<Usage>, cost: number]>([
    ['its ratio', { ModelRatio: { 'o4-mini': 10, 'o4-mini-high': 9 } }, { input: 100 }, 900],
    [
      'its ratio, with the factors of the model',
      {
        ModelRatio: { 'o4-mini-high': 9 },
        CompletionRatio: { 'o4-mini': 40 },
        CacheRatio: { 'o4-mini': 0.5 },
      },
      { output: 100, cacheRead: 100 },
      36_000 + 450,
    ],
    [
      'a factor, at the ratio of the model',
      { ModelRatio: { 'o4-mini': 10 }, CompletionRatio: { 'o4-mini-high': 40 } },
      { output: 1000 },
      400_000,
    ],
    [
      'a factor of 1',
      { ModelRatio: { 'o4-mini': 10 }, CreateCacheRatio: { 'o4-mini': 2, 'o4-mini-high': 1 } },
      { cacheWrite: 100 },
      1000,
    ],
  ])('costs what the operator says of itself: %s', async (_, said, usage, cost) => {
    await set(said);
    expect(costOf('o4-mini-high', usage)).toBe(cost);
    expect(costOf('o4-mini-high-low', usage)).toBe(cost);
  });

  test('is out of sale with the model, unless he prices it, and out of sale alone where he says so', async () => {
    const sources = () =>
      ['o4-mini', 'o4-mini-high', 'o4-mini-high-low'].map(
        (model) => ask(model, { acceptUnset: true })?.source ?? null,
      );
    expect(sources()).toEqual(['default', 'default', 'default']);
    await set({ UnsoldModels: { 'o4-mini': true } });
    expect(sources()).toEqual([null, null, null]);
    await set({ ModelRatio: { ...defaultMap('model'), 'o4-mini-high': 3 } });
    expect(sources()).toEqual([null, 'option', 'option']);
    await set({ ModelRatio: { 'o4-mini': 3 }, UnsoldModels: { 'o4-mini-high': true } });
    expect(sources()).toEqual(['option', null, null]);
  });
});

test('the group’s ratio counts, and the one for the caller’s group in its place', async () => {
  await set({
    GroupRatio: { default: 1, vip: 0.5 },
    GroupGroupRatio: { vip: { default: 0.25 } },
    ModelRatio: { 'gpt-4o': 2 },
  });
  expect(inputOf(ask('gpt-4o', { group: 'vip' }))).toBe(1_000_000);
  expect(inputOf(ask('gpt-4o', { userGroup: 'vip' }))).toBe(500_000);
  expect(inputOf(ask('gpt-4o', { userGroup: 'svip' }))).toBe(2_000_000);
});

test('who is in a group that is gone pays as the default group does, never 1 by accident', async () => {
  await set({
    GroupRatio: { default: 3, vip: 2 },
    GroupGroupRatio: { gone: { default: 0.25, vip: 0.25 }, default: { vip: 1.5 } },
    ModelRatio: { 'gpt-4o': 1 },
  });
  expect(inputOf(ask('gpt-4o', { group: 'gone', userGroup: 'gone' }))).toBe(3_000_000);
  expect(inputOf(ask('gpt-4o', { group: 'gone', userGroup: 'vip' }))).toBe(3_000_000);
  expect(inputOf(ask('gpt-4o', { group: 'default', userGroup: 'gone' }))).toBe(3_000_000);
  // Among users he is one of the default group too.
  expect(inputOf(ask('gpt-4o', { group: 'vip', userGroup: 'gone' }))).toBe(1_500_000);
  expect(inputOf(ask('gpt-4o', { group: 'toString', userGroup: 'constructor' }))).toBe(3_000_000);
  await set({ GroupRatio: { default: 1 }, GroupGroupRatio: {}, ModelRatio: { 'gpt-4o': 2 } });
});

test('a group’s ratio that no exact decimal tells is refused when it is saved', async () => {
  const save = set({ GroupGroupRatio: { vip: { default: 0.1234567890123 } } });
  await expect(save).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

test('a model without a price costs 37.5 where the caller or self-use mode accepts that', async () => {
  expect(ask('no-such-model', { acceptUnset: true })).toMatchObject({ source: 'unset', selfUse: false });
  expect(inputOf(ask('no-such-model', { acceptUnset: true }))).toBe(37_500_000);
  await set({ SelfUseModeEnabled: 'true' });
  expect(ask('no-such-model')).toMatchObject({ source: 'unset', selfUse: true });
});

test.each<[model: string, minutes: number | undefined, quota: { minutes: number; hour: number }]>([
  ['gpt-4o', 1.25, { minutes: 1250, hour: 2000 }],
  ['gpt-4o', 1.5, { minutes: 1500, hour: 2400 }],
  // No hour is sold for less than twice the input, but by those who sell all caches for less.
  ['gpt-4o', undefined, { minutes: 1000, hour: 2000 }],
  ['gpt-4o', 0.5, { minutes: 500, hour: 800 }],
  // OpenAI's longer life is half a day.
  ['openai/gpt-6.2-sol', 1.25, { minutes: 1250, hour: 2500 }],
  ['gpt-5.6-of-the-future', undefined, { minutes: 1000, hour: 2500 }],
  ['gpt-6.1-terra', 0.5, { minutes: 500, hour: 1000 }],
  ['kimi-k3', undefined, { minutes: 1000, hour: 2000 }],
  ['claude-of-the-future', undefined, { minutes: 1250, hour: 2000 }],
  ['claude-of-the-future', 1, { minutes: 1000, hour: 2000 }],
  // They know no hour.
  ['qwen-of-the-future', undefined, { minutes: 1250, hour: 1250 }],
  ['qwen3-max', undefined, { minutes: 1250, hour: 1250 }],
  ['MiniMax-M2.5', undefined, { minutes: 1250, hour: 1250 }],
])('what a cache of %s costs where minutes cost %p', async (model, minutes, quota) => {
  await set({
    ModelRatio: { [model]: 1 },
    CreateCacheRatio: minutes === undefined ? {} : { [model]: minutes },
  });
  const cost = (usage: Partial<Usage>) => {
    const quote = ask(model);
    return quote && quotaOf(quote, { ...noUsage(), ...usage });
  };
  expect(cost({ cacheWrite: 1000 })).toBe(quota.minutes);
  expect(cost({ cacheWriteHour: 1000 })).toBe(quota.hour);
});

test('nothing is held for writes that nobody marked where only marked ones are charged', async () => {
  await set({ ModelRatio: {}, CreateCacheRatio: {} });
  const unasked = ['claude-opus-4-5', 'qwen3-max', 'MiniMax-M2.5', 'kimi-k3', 'gpt-5.6'].map(
    (model) => ask(model)?.writesUnasked === true,
  );
  expect(unasked).toEqual([false, false, false, true, true]);
});
