/** Prices as the catalogue and its editor tell them: the numbers of the options, whoever set them. */
import { type Priced, pricedModel, unsetPrice } from '../../billing/price.ts';
import { type Decimal, decimalText } from '../../core/decimal.ts';
import type { Options } from '../../options/store.ts';
import type { TieredPrice } from '../../options/tiered-price.ts';

export interface PriceView {
  mode: 'call' | 'tokens' | 'tiers';
  /** US dollars a call. */
  price: number | null;
  /** 1 is 2 US dollars per million input tokens; of tiers that of the first. */
  ratio: number | null;
  completionRatio: number | null;
  cacheRatio: number | null;
  createCacheRatio: number | null;
  audioRatio: number | null;
  tiered: TieredPrice | null;
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
  const none = { cacheRatio: null, createCacheRatio: null, audioRatio: null };
  if (price.kind === 'call') {
    const usd = numberOf(price.usd);
    return { mode: 'call', price: usd, ratio: null, completionRatio: null, ...none, tiered: null, source };
  }
  const { ratios } = price;
  const tiered = given && !isFlat(given) ? given : null;
  return {
    mode: tiered ? 'tiers' : 'tokens',
    price: null,
    ratio: numberOf(ratios.model),
    completionRatio: numberOf(ratios.completion),
    cacheRatio: numberOf(ratios.cacheRead),
    createCacheRatio: numberOf(ratios.cacheWrite),
    audioRatio: numberOf(ratios.audio),
    tiered,
    source,
  };
}
