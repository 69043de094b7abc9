import { describe, expect, it } from 'bun:test';
import { editTables, noPrice, type PriceChange, priceChange } from './price-edit.ts';
import type { PriceView } from './price-view.ts';

const view = (own: Partial<PriceView>): PriceView => ({
  mode: 'tokens',
  price: null,
  ratio: 1.25,
  completionRatio: 4,
  thinkingRatio: null,
  cacheRatio: 0.5,
  createCacheRatio: 1,
  audioRatio: 1,
  tiered: null,
  tierCosts: null,
  source: 'default',
  ...own,
});

describe('the change of a model’s price', () => {
  it('is none when the numbers are as they were', () => {
    expect(priceChange('house', {}, view({}))).toBeNull();
    expect(
      priceChange('house', { ratio: 1.25, completionRatio: 4, cacheRatio: 0.5, price: null }, view({})),
    ).toBeNull();
    expect(priceChange('house', { price: 0.1 }, view({ mode: 'call', price: 0.1, ratio: null }))).toBeNull();
    expect(priceChange('house', {}, null)).toBeNull();
  });

  it('writes a ratio with its factors, but for what the default table says as well', () => {
    const ratios = { ModelPrice: null, ModelTieredPrice: null, UnsoldModels: null, ModelRatio: 1.25 };
    expect(priceChange('house', { completionRatio: 5 }, view({}))).toEqual({
      ...ratios,
      CompletionRatio: 5,
      CacheRatio: 0.5,
    });
    expect(priceChange('gpt-4o', { completionRatio: 5 }, view({}))).toEqual({
      ...ratios,
      CompletionRatio: 5,
      CacheRatio: null,
    });
    expect(priceChange('house', { ratio: 1.25 }, null)).toEqual(ratios);
  });

  it('writes the ratio of thoughts where they have another than the table says, or than other output', () => {
    const thinker = view({ thinkingRatio: 12 });
    expect(priceChange('house', { ratio: 2 }, thinker)).toMatchObject({ ThinkingCompletionRatio: 12 });
    expect(priceChange('qwen3-32b', { ratio: 2 }, thinker)).toMatchObject({ ThinkingCompletionRatio: null });
    expect(priceChange('qwen3-32b', { thinkingRatio: 9 }, thinker)).toMatchObject({
      ThinkingCompletionRatio: 9,
    });
    expect(priceChange('house', { thinkingRatio: null }, thinker)).toMatchObject({
      ThinkingCompletionRatio: null,
    });
    expect(priceChange('house', { thinkingRatio: 4 }, view({}))).toMatchObject({
      ThinkingCompletionRatio: null,
    });
    expect(priceChange('house', { thinkingRatio: 12 }, thinker)).toBeNull();
    // Without its tiers.
    const listed = view({
      mode: 'tiers',
      ratio: 0.2,
      completionRatio: 3,
      thinkingRatio: 10,
      cacheRatio: 0.2,
    });
    expect(priceChange('qwen-plus', { mode: 'tokens' }, listed)).toEqual({
      ...noPrice(),
      ModelTieredPrice: [{ up_to: null, input: 0.4, output: 1.2, output_thinking: 4, cache_read: 0.08 }],
    });
  });

  it('leaves tiers when told so, though the ratios are those of the first tier', () => {
    const tiers = view({ mode: 'tiers' });
    expect(priceChange('house', { mode: 'tiers', ratio: 1.25, completionRatio: 4 }, tiers)).toBeNull();
    expect(priceChange('house', { mode: 'tokens', ratio: 1.25, completionRatio: 4 }, tiers)).toEqual({
      ModelPrice: null,
      ModelTieredPrice: null,
      UnsoldModels: null,
      ModelRatio: 1.25,
      CompletionRatio: 4,
      CacheRatio: 0.5,
    });
  });

  it('says by a tier for any length what the default table’s own ratio would say with its tiers', () => {
    const listed = view({ mode: 'tiers', ratio: 0.625, completionRatio: 8, cacheRatio: 0.1 });
    const flat = [{ up_to: null, input: 1.25, output: 10, cache_read: 0.125 }];
    expect(priceChange('gemini-2.5-pro', { mode: 'tokens' }, listed)).toEqual({
      ...noPrice(),
      ModelTieredPrice: flat,
    });
    expect(priceChange('gemini-2.5-pro', { mode: 'tokens', ratio: 0.7 }, listed)).toMatchObject({
      ModelRatio: 0.7,
      ModelTieredPrice: null,
    });
    // Who only changes a factor keeps the tiers.
    expect(priceChange('gemini-2.5-pro', { completionRatio: 5 }, listed)).toMatchObject({
      ModelRatio: 0.625,
      CompletionRatio: 5,
      ModelTieredPrice: null,
    });
  });

  it('leaves a price for any length one, whether the mode is said again or not', () => {
    const flat = view({ ratio: 0.625, completionRatio: 8, cacheRatio: 0.1, source: 'option' });
    for (const mode of ['tokens', undefined] as const) {
      expect(priceChange('gemini-2.5-pro', { ...(mode && { mode }), completionRatio: 5 }, flat)).toEqual({
        ...noPrice(),
        ModelTieredPrice: [{ up_to: null, input: 1.25, output: 6.25, cache_read: 0.125 }],
      });
    }
  });

  it('takes a model out of everything when its numbers are taken away', () => {
    expect(priceChange('house', { ratio: null, completionRatio: null }, view({}))).toEqual(noPrice());
  });

  it('says of a model of the default table that it is out of sale, or that would price it', () => {
    const none = { mode: 'none', price: null, ratio: null } as const;
    expect(priceChange('gpt-4o', none, view({}))).toEqual({ ...noPrice(), UnsoldModels: true });
    const call = view({ mode: 'call', price: 0.04, ratio: null });
    expect(priceChange('dall-e-3', none, call)).toEqual({ ...noPrice(), UnsoldModels: true });
    expect(priceChange('gpt-4o', none, null)).toBeNull();
    expect(priceChange('gpt-4o', { ratio: 2 }, null)).toMatchObject({ ModelRatio: 2, UnsoldModels: null });
  });
});

describe('the tables after changes', () => {
  const changes = (list: [string, PriceChange][]) => new Map(list);

  it('leave out those that stay as they were', () => {
    const texts = { ModelRatio: '{"a": 1, "b": 2}', CompletionRatio: '{"a": 3}' };
    const edited = editTables(
      texts,
      changes([['b', { ModelRatio: 5, CompletionRatio: null, ModelPrice: null }]]),
    );
    expect(Object.keys(edited)).toEqual(['ModelRatio']);
    expect(JSON.parse(edited.ModelRatio ?? '')).toEqual({ a: 1, b: 5 });
  });

  it('begin with what changes when nothing was set', () => {
    expect(editTables({}, changes([['m', { ModelRatio: 1 }]]))).toEqual({ ModelRatio: '{\n  "m": 1\n}' });
  });
});
