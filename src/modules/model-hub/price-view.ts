/** Prices as the catalogue and its editor tell them: the numbers of the options, whoever set them. */
import { type Priced, pricedModel, unsetPrice } from '../../billing/priced-model.ts';
import { type Decimal, decimalOf, decimalText } from '../../core/decimal.ts';
import type { TokenPrice } from '../../core/price-formula.ts';
import { usdOfRatio } from '../../core/price-ratio.ts';
import type { Options } from '../../options/store.ts';
import type { TieredPrice, TierPrice } from '../../options/tiered-price.ts';

/** A tier with the prices that it need not name: they follow the model's ratios then. Of thoughts only where they differ. */
export type TierCost = Required<Omit<TierPrice, 'output_thinking'>> & Pick<TierPrice, 'output_thinking'>;

export interface PriceView {
  mode: 'call' | 'tokens' | 'tiers';
  /** US dollars a call. */
  price: number | null;
  /** 1 is 2 US dollars per million input tokens; of tiers that of the first. */
  ratio: number | null;
  completionRatio: number | null;
  /** Of a call that thinks; null where that costs no other price. */
  thinkingRatio: number | null;
  cacheRatio: number | null;
  createCacheRatio: number | null;
  audioRatio: number | null;
  tiered: TieredPrice | null;
  /** What each of its tiers costs. */
  tierCosts: TierCost[] | null;
  source: 'option' | 'default' | 'unset';
}

const numberOf = (value: Decimal): number => Number(decimalText(value));

/** What a model costs before the group's ratio; null when nothing prices it. */
export function priceView(options: Options, model: string): PriceView | null {
  const priced = pricedModel(options, model);
  return priced && viewOf(priced);
}

/** What a model that nothing prices costs those who accept that. */
export const unsetView = (options: Options, model: string): PriceView => viewOf(unsetPrice(options, model));

type Seen = Pick<Priced, 'price' | 'tiered'> & { source: PriceView['source'] };

/** One tier says no more than ratios do, unless it has a price of cache writes, which nobody edits beside ratios. */
const isFlat = ({ tiers: [first, second] }: TieredPrice): boolean =>
  second === undefined && first?.cache_write === undefined;

function viewOf({ price, tiered: given, source }: Seen): PriceView {
  const none = { thinkingRatio: null, cacheRatio: null, createCacheRatio: null, audioRatio: null };
  if (price.kind === 'call') {
    const usd = numberOf(price.usd);
    const noTiers = { tiered: null, tierCosts: null };
    return { mode: 'call', price: usd, ratio: null, completionRatio: null, ...none, ...noTiers, source };
  }
  const { ratios } = price;
  const tiered = given && !isFlat(given) ? given : null;
  const ofTiers = price.tiers ?? price.byMonth ?? [];
  return {
    mode: tiered ? 'tiers' : 'tokens',
    price: null,
    ratio: numberOf(ratios.model),
    completionRatio: numberOf(ratios.completion),
    thinkingRatio: price.thinking ? numberOf(price.thinking.completion) : null,
    cacheRatio: numberOf(ratios.cacheRead),
    createCacheRatio: numberOf(ratios.cacheWrite),
    audioRatio: numberOf(ratios.audio),
    tiered,
    tierCosts: tiered?.tiers.map((tier, i) => costOf(tier, ofTiers[i] ?? price)) ?? null,
    source,
  };
}

function costOf(tier: TierPrice, { ratios, thinking }: Pick<TokenPrice, 'ratios' | 'thinking'>): TierCost {
  const usd = (ratio: Decimal) => usdOfRatio(decimalOf(tier.input) ?? 0n, ratio);
  const { output_thinking: _, ...named } = tier;
  return {
    cache_read: usd(ratios.cacheRead),
    cache_write: usd(ratios.cacheWrite),
    ...named,
    ...(thinking && { output_thinking: tier.output_thinking ?? usd(thinking.completion) }),
  };
}
