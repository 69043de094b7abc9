import { describe, expect, it } from 'bun:test';
import { editTables, noPrice, type PriceChange, priceChange } from './price-edit.ts';
import type { PriceView } from './price-view.ts';

const view = (own: Partial<PriceView>): PriceView => ({
  mode: 'tokens',
  price: null,
  ratio: 1.25,
  completionRatio: 4,
  cacheRatio: 0.5,
  createCacheRatio: 1,
  audioRatio: 1,
  tiered: null,
  source: 'default',
  ...own,
});

describe('the change of a model’s price', () => {
  it('is none when the numbers are as they were', () => {
    expect(priceChange({}, view({}))).toBeNull();
    expect(
      priceChange({ ratio: 1.25, completionRatio: 4, cacheRatio: 0.5, price: null }, view({})),
    ).toBeNull();
    expect(priceChange({ price: 0.1 }, view({ mode: 'call', price: 0.1, ratio: null }))).toBeNull();
    expect(priceChange({}, null)).toBeNull();
  });

  it('writes only the ratios that differ beside the model’s own', () => {
    expect(priceChange({ completionRatio: 5 }, view({}))).toEqual({
      ModelPrice: null,
      ModelTieredPrice: null,
      ModelRatio: 1.25,
      CompletionRatio: 5,
    });
  });

  it('leaves tiers when told so, though the ratios are those of the first tier', () => {
    const tiers = view({ mode: 'tiers' });
    expect(priceChange({ mode: 'tiers', ratio: 1.25, completionRatio: 4 }, tiers)).toBeNull();
    expect(priceChange({ mode: 'tokens', ratio: 1.25, completionRatio: 4 }, tiers)).toEqual({
      ModelPrice: null,
      ModelTieredPrice: null,
      ModelRatio: 1.25,
    });
  });

  it('takes a model out of everything when its numbers are taken away', () => {
    expect(priceChange({ ratio: null, completionRatio: null }, view({}))).toEqual(noPrice());
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
