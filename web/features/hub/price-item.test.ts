import { describe, expect, it } from 'bun:test';
import { contextText, filmPrice, type PriceItem, rateText, shownGroup, tokenPrices } from './price-item.ts';

const zh = { locale: 'zh' as const, price: 7.3 };
const en = { locale: 'en' as const, price: 7.3 };

describe('a rate', () => {
  it.each([
    [2.5, '¥18.25', '$2.50'],
    [0.15, '¥1.095', '$0.15'],
    [1_234.5, '¥9,011.85', '$1,234.50'],
    [0, '¥0.00', '$0.00'],
    [0.0000001, '¥0.00000073', '$0.0000001'],
  ])('of %p dollars keeps its digits', (usd, yuan, dollars) => {
    expect([rateText(usd, zh), rateText(usd, en)]).toEqual([yuan, dollars]);
  });
});

const item = (own: Partial<PriceItem>): PriceItem => ({
  model_name: 'm',
  quota_type: 0,
  model_ratio: 1.25,
  completion_ratio: 4,
  thinking_completion_ratio: 4,
  model_price: 0,
  cache_ratio: 0.5,
  audio_ratio: 1,
  sort: 0,
  cache_creation_ratio: 1,
  tiers: null,
  video: null,
  tier_by: null,
  price_source: 'option',
  owner_by: '',
  enable_groups: [],
  available: null,
  sold: true,
  icon: '',
  desc: '',
  max_token: 0,
  model_type: '',
  tags: '',
  multimodal: false,
  ...own,
});

describe('the price of a million tokens', () => {
  it('equals the ratio times 2, the output that times the completion ratio', () => {
    const prices = { input: 2.5, output: 10, outputThinking: null, cacheRead: 1.25, cacheWrite: null };
    expect(tokenPrices(item({}))).toEqual(prices);
    expect(tokenPrices(item({ thinking_completion_ratio: 12 }))).toEqual({ ...prices, outputThinking: 30 });
  });

  it('is none of a model that is priced by the call', () => {
    expect(tokenPrices(item({ quota_type: 1, model_price: 0.04 }))).toBeNull();
  });
});

it('a second of film is the price of a model that has no other', () => {
  const video = { per_second: 0.1 };
  expect(filmPrice(item({ video, price_source: 'unset' }))).toEqual(video);
  expect(filmPrice(item({ video, price_source: 'option' }))).toBeNull();
  expect(filmPrice(item({ price_source: 'unset' }))).toBeNull();
});

describe('the group whose prices are shown', () => {
  const facts = { group_ratio: { vip: 0.8, default: 1 }, usable_group: {}, tags: [], vendors: [] };
  it('is the one asked for when it may be used, else the reader’s own', () => {
    expect(shownGroup(facts, 'default')).toEqual(['default', 1]);
    expect(shownGroup(facts, 'secret')).toEqual(['vip', 0.8]);
    expect(shownGroup(facts, undefined)).toEqual(['vip', 0.8]);
  });
});

it('the length of a context is told in thousands and millions', () => {
  expect([contextText(512), contextText(8192), contextText(128_000), contextText(1_048_576)]).toEqual([
    '512',
    '8.1K',
    '128K',
    '1.04858M',
  ]);
});
