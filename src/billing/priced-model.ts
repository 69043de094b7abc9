/**
 * What the tables say that a model costs. The operator's always win; what they do not name comes from the dated default
 * table, factor by factor. What an operator's table says just as the default table does is no word of his own: tables
 * start with the defaults, and are often saved whole.
 */
import { DECIMAL_ONE, type Decimal, decimalText } from '../core/decimal.ts';
import { invariant } from '../core/invariant.ts';
import { isOpenAiReasoner, plainName } from '../core/model-families.ts';
import { modelBehind, namesBehind } from '../core/model-variant.ts';
import { own } from '../core/own.ts';
import type { Price, PriceTier, TokenPrice, TokenRatios } from '../core/price-formula.ts';
import { keptByVersion } from '../options/by-version.ts';
import {
  type DefaultRatios,
  defaultCallPriceOf,
  defaultPriceOf,
  defaultTiersOf,
} from '../options/default-ratios.ts';
import type { OptionKey } from '../options/registry.ts';
import type { Options } from '../options/store.ts';
import { ratiosOfTier, type TieredPrice, told } from '../options/tiered-price.ts';
import { decimal, ratioIn } from './exact-ratios.ts';

/** Model ratio of models without a price: $75 per 1M tokens. */
const UNSET_RATIO = decimal(37.5);

/** What a model costs before any group's ratio. */
export interface Priced {
  /**
   * What is sold: the name that has the rate. All names that come to it are one article, of which there is one month and one
   * measure of what was lacking, as there is one price.
   */
  sold: string;
  /** Of a price by month that of its first tier. */
  price: Price;
  source: 'option' | 'default';
  /** Its tiers in dollars; absent where it has none. */
  tiered?: TieredPrice;
  /** As a quote has it. */
  writesUnasked?: boolean;
}

/** The prices found so far. Only models that have a price are kept, so that invented names cannot fill it. */
const foundPrices = keptByVersion(() => new Map<string, Priced>());

/** Some table prices it: its tokens, its calls, or the seconds of its films. */
export const isPriced = (options: Options, model: string): boolean =>
  pricedModel(options, model) !== null || own(options.get('VideoPrice'), model) !== undefined;

/** The operator has taken it out of sale, by this name or by that of the model which it asks to think. */
export const isUnsold = (options: Options, model: string): boolean =>
  namesBehind(model).some((name) => isNamedUnsold(options, name));

const isNamedUnsold = (options: Options, name: string): boolean =>
  own(options.get('UnsoldModels'), name) !== undefined;

/** What a model that nothing prices costs those who accept that. It is the last of its names that is sold. */
export function unsetPrice(options: Options, model: string) {
  const names = namesBehind(model);
  return {
    sold: modelBehind(model),
    price: tokenPrice(factorsOf(options, names, model), UNSET_RATIO),
    source: 'unset' as const,
  };
}

/**
 * A model's place in the price list; null when nothing prices it. Names are looked up as a call's are: one that asks the
 * model to think costs what the model costs, as far as no table names it: its rate, and each factor. What the operator
 * says of either comes before what the default table says of both, and whichever he has taken out of sale has no other
 * price than his.
 */
export function pricedModel(options: Options, model: string): Priced | null {
  const prices = foundPrices(options);
  const known = prices.get(model);
  if (known) return known;
  const names = namesBehind(model);
  const out = names.findIndex((name) => isNamedUnsold(options, name));
  const isSold = out < 0;
  const rate =
    firstOf(isSold ? names : names.slice(0, out + 1), (name) => ownRate(options, name, isSold)) ??
    (isSold ? firstOf(names, listedRate) : null);
  if (!rate) return null;
  const factors = factorsOf(options, names, rate.name);
  const price = pricedAt(rate, factors);
  const priced: Priced = writesUnasked(factors, price) ? { ...price, writesUnasked: true } : price;
  // Names that ask a model to think may hold any number.
  if (rate.name === model) prices.set(model, priced);
  return priced;
}

/** What the first of these names has, of those that have any. */
function firstOf<T>(names: readonly string[], of: (name: string) => T | null): T | null {
  for (const name of names) {
    const found = of(name);
    if (found !== null) return found;
  }
  return null;
}

/** What a table says of a name, before any factor. */
type Rate = { name: string; source: Priced['source'] } & (
  | { usd: Decimal }
  | { tiered: TieredPrice }
  | { ratio: Decimal }
);

/** By the operator. Out of sale what repeats the default table is no price. */
function ownRate(options: Options, name: string, isSold: boolean): Rate | null {
  const from = { name, source: 'option' as const };
  const prices = options.get('ModelPrice');
  // Of what is sold a price a call wins over all else that he says, also where it is the default table's.
  const usd =
    isSold && options.isSet('ModelPrice')
      ? ratioIn(prices, name)
      : ownIn(prices, name, defaultCallPriceOf(name));
  if (usd !== null) return { ...from, usd };
  const tiered = own(options.get('ModelTieredPrice'), name);
  if (tiered) return { ...from, tiered };
  const ratio = ownIn(options.get('ModelRatio'), name, defaultPriceOf(name)?.model);
  return ratio === null ? null : { ...from, ratio };
}

function listedRate(name: string): Rate | null {
  const from = { name, source: 'default' as const };
  const usd = defaultCallPriceOf(name);
  if (usd !== null) return { ...from, usd: decimal(usd) };
  const tiers = defaultTiersOf(name);
  if (tiers) return { ...from, tiered: { by: 'input', tiers: [...tiers] } };
  const listed = defaultPriceOf(name);
  return listed && { ...from, ratio: decimal(listed.model) };
}

/** The operator's own word on a model: what the default table says as well is none. */
function ownIn(
  table: Readonly<Record<string, number>>,
  model: string,
  listed: number | null | undefined,
): Decimal | null {
  const said = own(table, model);
  return said === undefined || said === listed ? null : decimal(said);
}

const FACTORS = {
  completion: 'CompletionRatio',
  thinkingCompletion: 'ThinkingCompletionRatio',
  cacheRead: 'CacheRatio',
  cacheWrite: 'CreateCacheRatio',
  audio: 'AudioRatio',
  audioCompletion: 'AudioCompletionRatio',
  image: 'ImageRatio',
  imageCompletion: 'ImageCompletionRatio',
  video: 'VideoRatio',
} as const satisfies Record<Exclude<keyof DefaultRatios, 'model' | 'cacheReadAudio'>, OptionKey>;
type Factor = keyof typeof FACTORS;

/** What the tables say of a model beside its rate. */
interface Factors {
  /** The name that has the rate. */
  model: string;
  /** What the operator says of it by any of its names. */
  said(factor: Factor): Decimal | null;
  /** What the default table says of the name that has the rate, else of the model behind it. */
  listed: DefaultRatios | null;
}

const factorsOf = (options: Options, names: readonly string[], priced: string): Factors => ({
  model: priced,
  said: (factor) =>
    firstOf(names, (name) => ownIn(options.get(FACTORS[factor]), name, defaultPriceOf(name)?.[factor])),
  listed: firstOf(names.slice(names.indexOf(priced)), defaultPriceOf),
});

const factorIn = ({ said, listed }: Factors, factor: Factor, usual = 1): Decimal =>
  said(factor) ?? decimal(listed?.[factor] ?? usual);

function pricedAt(rate: Rate, factors: Factors): Priced {
  const { name: sold, source } = rate;
  if ('usd' in rate) return { sold, price: { kind: 'call', usd: rate.usd }, source };
  if ('ratio' in rate) return { sold, price: tokenPrice(factors, rate.ratio), source };
  const tiered = source === 'default' ? withOwnFactors(rate.tiered, factors) : rate.tiered;
  return { sold, price: tieredTokens(factors, tiered), source, tiered };
}

/** They write to a cache only what a request marks, and ask for a quarter more than for input. */
const WRITES_MARKED = /claude|qwen|minimax/i;
const MARKED_WRITE = 1.25;
/** And they keep it for five minutes, whatever is asked. */
const KEEPS_MINUTES = /qwen|minimax/i;

/** Other makers charge for it as it comes, where a table names a price of cache writes. */
const writesUnasked = ({ model, said, listed }: Factors, { tiered }: Priced): boolean =>
  !WRITES_MARKED.test(model) &&
  (said('cacheWrite') !== null ||
    listed?.cacheWrite !== undefined ||
    tiered?.tiers.some(({ cache_write: price }) => price !== undefined) === true);

/** The tiers of the default table: a factor that the operator names otherwise than the table holds in every one. */
function withOwnFactors({ by, tiers }: TieredPrice, { said }: Factors): TieredPrice {
  const [completion, cacheRead, cacheWrite] = [said('completion'), said('cacheRead'), said('cacheWrite')];
  const thinking = said('thinkingCompletion');
  return {
    by,
    tiers: tiers.map((tier) => {
      const usd = (ratio: Decimal) => Number(decimalText((decimal(tier.input) * ratio) / DECIMAL_ONE));
      const output = completion === null ? tier.output : usd(completion);
      const { output_thinking: listed } = tier;
      const thought = thinking === null ? listed && Math.max(listed, output) : usd(thinking);
      return {
        ...tier,
        output,
        ...(thought !== undefined && { output_thinking: thought }),
        ...(cacheRead !== null && { cache_read: usd(cacheRead) }),
        ...(cacheWrite !== null && { cache_write: usd(cacheWrite) }),
      };
    }),
  };
}

function tieredTokens(factors: Factors, { by, tiers }: TieredPrice): TokenPrice {
  const listed = tokenPrice(factors, DECIMAL_ONE).ratios;
  const hasSound = hasSoundPrice(factors);
  const [first, ...rest] = tiers.map((tier): PriceTier => {
    const { thinkingCompletion, ...named } = ratiosOfTier(tier);
    const ratios = { ...listed, ...named };
    const all = {
      ...ratios,
      cacheReadAudio: heardAgainAt(factors, ratios),
      cacheWriteHour: cacheWriteHourOf(factors.model, ratios.cacheWrite),
      imageCompletion: atLeast(ratios.completion, factors, 'imageCompletion'),
      ...(!hasSound && { audioCompletion: ratios.completion }),
    };
    return { upTo: tier.up_to, ratios: all, ...thinkingAt(all, factors, thinkingCompletion) };
  });
  invariant(first !== undefined, 'a tiered price has a tier');
  const all = [first, ...rest];
  const { upTo: _, ...rates } = first;
  const price = { kind: 'tokens' as const, ...rates };
  return by === 'month' ? { ...price, byMonth: all } : { ...price, tiers: all };
}

function tokenPrice(factors: Factors, ratio: Decimal): TokenPrice {
  const completion = factorIn(factors, 'completion');
  const usualWrite = WRITES_MARKED.test(factors.model) ? MARKED_WRITE : 1;
  const cacheWrite = factorIn(factors, 'cacheWrite', usualWrite);
  const cacheRead = factorIn(factors, 'cacheRead');
  const audio = factorIn(factors, 'audio');
  const ratios: TokenRatios = {
    model: ratio,
    completion,
    cacheRead,
    cacheReadAudio: heardAgainAt(factors, { cacheRead, audio }),
    cacheWrite,
    cacheWriteHour: cacheWriteHourOf(factors.model, cacheWrite),
    audio,
    audioCompletion: hasSoundPrice(factors) ? factorIn(factors, 'audioCompletion') : completion,
    image: factorIn(factors, 'image'),
    imageCompletion: atLeast(completion, factors, 'imageCompletion'),
    video: factorIn(factors, 'video'),
  };
  return { kind: 'tokens', ratios, ...thinkingAt(ratios, factors) };
}

const times = (a: Decimal, b: Decimal): Decimal => (a * b) / DECIMAL_ONE;

/**
 * Sound that came from a cache is as much cheaper than sound as cached text is than text, or by as much more as the default
 * table says (Google's is the one, OpenAI's the other), whatever the operator says of either. It is never cheaper than
 * cached text by that table: who has priced sound as words has priced the cached one so.
 */
function heardAgainAt(
  { listed }: Factors,
  { cacheRead, audio }: Pick<TokenRatios, 'cacheRead' | 'audio'>,
): Decimal {
  const heard = times(audio, decimal(listed?.cacheReadAudio ?? 1));
  return heard < audio && heard < DECIMAL_ONE ? cacheRead : told(times(cacheRead, heard));
}

/**
 * What is drawn, or written by a call that thinks, costs what output does, where no table tells them apart; and by the
 * default table never less than that: who has priced the words of a model as its pictures has priced its pictures.
 */
function atLeast(
  completion: Decimal,
  { said, listed }: Factors,
  apart: 'imageCompletion' | 'thinkingCompletion',
): Decimal {
  const own = decimal(listed?.[apart] ?? 0);
  return said(apart) ?? (own > completion ? own : completion);
}

/** The ratios of a call that thinks, where they are others. `named`: by a tier. */
function thinkingAt(ratios: TokenRatios, factors: Factors, named?: Decimal): Pick<TokenPrice, 'thinking'> {
  const completion = named ?? atLeast(ratios.completion, factors, 'thinkingCompletion');
  return completion === ratios.completion ? {} : { thinking: { ...ratios, completion } };
}

/**
 * Writing a prompt cache for an hour costs 2 × input where five minutes cost 1.25 (Anthropic's price list) or as much as
 * input (Moonshot's), and OpenAI's for half a day 2.5 × (developers.openai.com/api/docs/models/gpt-6.2-sol). Whoever sells
 * the minutes for less than input gives the same discount on the longer life.
 */
function cacheWriteHourOf(model: string, cacheWrite: Decimal): Decimal {
  if (KEEPS_MINUTES.test(model)) return cacheWrite;
  const least = isOpenAiReasoner(plainName(model)) ? HALF_DAY_LEAST : HOUR_LEAST;
  const longer = (cacheWrite * least) / MINUTES;
  return cacheWrite < DECIMAL_ONE || longer > least ? longer : least;
}
const MINUTES = (5n * DECIMAL_ONE) / 4n;
const HOUR_LEAST = 2n * DECIMAL_ONE;
const HALF_DAY_LEAST = (5n * DECIMAL_ONE) / 2n;

/**
 * Whether sound has ratios of its own, by the operator or by the default table. Where it has none it costs what text does:
 * models that do nothing but speak are listed with the price of their sound as that of their output.
 */
const hasSoundPrice = ({ said, listed }: Factors): boolean =>
  said('audio') !== null || said('audioCompletion') !== null || listed?.audio !== undefined;
