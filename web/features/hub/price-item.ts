/** A model of the price list, and its prices as the reader pays them. */

import { formatRate, grouped, type MoneyRules } from '@core/money.ts';
import { USD_PER_RATIO } from '@core/price-ratio.ts';
import { QUOTA_TYPE } from '@modules/model-hub/facts.ts';
import type { DataOf } from '@/lib/calls.ts';

type PricePage = DataOf<'get', '/api/pricing/page'>;

export type PriceItem = PricePage['items'][number];

export type Tier = NonNullable<PriceItem['tiers']>[number];

/** What the price list tells beside its rows. */
export type PriceFacts = Pick<PricePage, 'group_ratio' | 'usable_group' | 'tags' | 'vendors'>;

/** Dollars per million tokens, before the group; null where there is no price of its own. */
export interface TokenPrices {
  input: number;
  output: number;
  /** Of a call that thinks. */
  outputThinking: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
}

/** Cached input that costs what input costs has no price of its own. */
const ownPrice = (input: number, ratio: number): number | null => (ratio === 1 ? null : input * ratio);

/** Null of a model that is priced by the call. Of tiers, the first. */
export function tokenPrices(
  item: Pick<
    PriceItem,
    | 'quota_type'
    | 'model_ratio'
    | 'completion_ratio'
    | 'thinking_completion_ratio'
    | 'cache_ratio'
    | 'cache_creation_ratio'
  >,
): TokenPrices | null {
  if (item.quota_type === QUOTA_TYPE.call) return null;
  const input = item.model_ratio * USD_PER_RATIO;
  return {
    input,
    output: input * item.completion_ratio,
    outputThinking:
      item.thinking_completion_ratio === item.completion_ratio
        ? null
        : input * item.thinking_completion_ratio,
    cacheRead: ownPrice(input, item.cache_ratio),
    cacheWrite: ownPrice(input, item.cache_creation_ratio),
  };
}

/** What a second of a film costs where nothing but films is sold of the model; null of all others. */
export const filmPrice = ({
  video,
  price_source,
}: Pick<PriceItem, 'video' | 'price_source'>): PriceItem['video'] =>
  price_source === 'unset' ? video : null;

const splitNumber = (text: string): [string, string] => {
  const [whole = '', fraction = ''] = text.split('.');
  return [whole, fraction];
};

/** A rate in the reader's currency: six significant digits and at least two decimals, `¥18.25`. */
export function rateText(usd: number, { locale, price }: Pick<MoneyRules, 'locale' | 'price'>): string {
  const value = locale === 'zh' ? usd * price : usd;
  const plain = formatRate(value);
  const digits = /e/i.test(plain) ? value.toFixed(12).replace(/0+$/, '') : plain;
  const [whole, fraction] = splitNumber(digits);
  return `${locale === 'zh' ? '¥' : '$'}${grouped(whole)}.${fraction.padEnd(2, '0')}`;
}

/** `128K`, `1M`: a context's length. */
export function contextText(tokens: number): string {
  if (tokens >= 1_000_000) return `${formatRate(tokens / 1_000_000)}M`;
  return tokens >= 1_000 ? `${formatRate(Math.floor(tokens / 100) / 10)}K` : String(tokens);
}

/** The group whose prices are shown: the one asked for, else the reader's own. */
export function shownGroup(facts: PriceFacts, asked: string | undefined): [string, number] {
  const groups = Object.entries(facts.group_ratio);
  return groups.find(([name]) => name === asked) ?? groups[0] ?? ['default', 1];
}
