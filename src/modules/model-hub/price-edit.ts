/**
 * What the editor of prices does to the tables of options. A model has one way of being priced: a price a call takes
 * it out of the ratios, ratios take it out of the prices and tiers. What is saved is sold: a ratio brings the factors
 * that were shown with it, since they may have come from what it takes the place of. A factor that the default table
 * has is not written, so that the model keeps to that; of a name that asks a model to think every one is, since the
 * tables may say something of the model.
 */
import { type Changes, tableChange } from '../../core/admin-actions.ts';
import { type Decimal, decimalOf } from '../../core/decimal.ts';
import { invariant } from '../../core/invariant.ts';
import { parseObject } from '../../core/json.ts';
import { namesBehind } from '../../core/model-variant.ts';
import { USD_PER_RATIO, usdOfRatio, workedOut } from '../../core/price-ratio.ts';
import { defaultCallPriceOf, defaultPriceOf, defaultTiersOf } from '../../options/default-ratios.ts';
import type { OptionKey } from '../../options/registry.ts';
import type { Texts } from '../../options/store.ts';
import { shortTiers, type TieredPrice, type TierPrice } from '../../options/tiered-price.ts';
import type { PriceView } from './price-view.ts';

/** The tables that the editor writes. */
export const PRICE_TABLES = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'ThinkingCompletionRatio',
  'CacheRatio',
  'ModelTieredPrice',
  'UnsoldModels',
] as const satisfies readonly OptionKey[];

/** Fields that are undefined stay as they are; null takes the number away. */
export interface GivenPrice {
  /** Another one than the model's switches to it, though its numbers are the same. */
  mode?: 'call' | 'tokens' | 'tiers' | 'none';
  price?: number | null;
  ratio?: number | null;
  completionRatio?: number | null;
  thinkingRatio?: number | null;
  cacheRatio?: number | null;
  /** Other ones than the model's win over whatever else is given. */
  tiered?: TieredPrice;
}

/** For each table that changes: the model's new number or tiers, or null for none. */
export type PriceChange = Partial<
  Record<(typeof PRICE_TABLES)[number], number | TierPrice[] | TieredPrice | true | null>
>;

const NOWHERE: PriceChange = {
  ModelPrice: null,
  ModelRatio: null,
  CompletionRatio: null,
  ThinkingCompletionRatio: null,
  CacheRatio: null,
  ModelTieredPrice: null,
  UnsoldModels: null,
};

/** It costs what the model behind it does, where no table names it. */
const asksToThink = (name: string): boolean => namesBehind(name).length > 1;

/** No table prices it any more; where something else would, that must be said. */
const outOfSale = (name: string): PriceChange =>
  asksToThink(name) || defaultCallPriceOf(name) !== null || defaultPriceOf(name)
    ? { ...NOWHERE, UnsoldModels: true }
    : NOWHERE;

/** What a model's new price changes; null when it is priced so already. */
export function priceChange(name: string, given: GivenPrice, now: PriceView | null): PriceChange | null {
  if (given.tiered && !Bun.deepEquals(given.tiered, now?.tiered ?? null)) {
    return { ...NOWHERE, ModelTieredPrice: shortTiers(given.tiered) };
  }
  const was = {
    price: now?.price ?? null,
    ratio: now?.ratio ?? null,
    completionRatio: now?.completionRatio ?? null,
    thinkingRatio: now?.thinkingRatio ?? null,
    cacheRatio: now?.cacheRatio ?? null,
  };
  const next = {
    price: given.price === undefined ? was.price : given.price,
    ratio: given.ratio === undefined ? was.ratio : given.ratio,
    completionRatio: given.completionRatio === undefined ? was.completionRatio : given.completionRatio,
    thinkingRatio: given.thinkingRatio === undefined ? was.thinkingRatio : given.thinkingRatio,
    cacheRatio: given.cacheRatio === undefined ? was.cacheRatio : given.cacheRatio,
  };
  // A price that stands beside ratios wins, but one that was there and is only echoed gives way to a new ratio.
  const ratioIsNew = next.ratio !== null && next.ratio !== was.ratio;
  const price = ratioIsNew && next.price === was.price ? null : next.price;
  if (price !== null) return price === was.price ? null : { ...NOWHERE, ModelPrice: price };
  const { ratio, completionRatio, thinkingRatio, cacheRatio } = next;
  const isSwitch = given.mode !== undefined && given.mode !== (now?.mode ?? 'none');
  if (ratio === null) return was.price === null && was.ratio === null ? null : outOfSale(name);
  if (
    !isSwitch &&
    was.price === null &&
    ratio === was.ratio &&
    completionRatio === was.completionRatio &&
    thinkingRatio === was.thinkingRatio &&
    cacheRatio === was.cacheRatio
  )
    return null;
  const listed = defaultPriceOf(name);
  const mode = given.mode ?? now?.mode;
  const bringsTiers = mode === 'tokens' && ratio === listed?.model && defaultTiersOf(name) !== null;
  // As ratios they would be the default table's own: no word against its tiers, nor against what the model behind costs.
  if (listed && (bringsTiers || asksToThink(name))) {
    const parts = { completionRatio: completionRatio ?? listed.completion, thinkingRatio, cacheRatio };
    return { ...NOWHERE, ModelTieredPrice: [flatTier(ratio, parts)] };
  }
  const unlessUsual = (factor: number | null, usual = 1) =>
    factor === usual && !asksToThink(name) ? null : factor;
  return {
    ModelPrice: null,
    ModelTieredPrice: null,
    UnsoldModels: null,
    ModelRatio: ratio,
    ...((completionRatio ?? was.completionRatio) !== null && {
      CompletionRatio: unlessUsual(completionRatio, listed?.completion),
    }),
    ...((thinkingRatio ?? was.thinkingRatio) !== null && {
      ThinkingCompletionRatio: unlessUsual(
        thinkingRatio,
        listed?.thinkingCompletion ?? completionRatio ?? undefined,
      ),
    }),
    ...((cacheRatio ?? was.cacheRatio) !== null && {
      CacheRatio: unlessUsual(cacheRatio, listed?.cacheRead),
    }),
  };
}

/** The same price for prompts of any length. */
function flatTier(
  ratio: number,
  {
    completionRatio,
    thinkingRatio,
    cacheRatio,
  }: Record<'thinkingRatio' | 'cacheRatio', number | null> & { completionRatio: number },
): TierPrice {
  const input = exact(ratio) * BigInt(USD_PER_RATIO);
  return {
    up_to: null,
    input: workedOut(input),
    output: usdOfRatio(input, exact(completionRatio)),
    ...(thinkingRatio !== null && { output_thinking: usdOfRatio(input, exact(thinkingRatio)) }),
    ...(cacheRatio !== null && { cache_read: usdOfRatio(input, exact(cacheRatio)) }),
  };
}

/** More places are refused when they are given. */
function exact(ratio: number): Decimal {
  const decimal = decimalOf(ratio);
  invariant(decimal !== null, `the ratio ${ratio} is no decimal of at most 12 places`);
  return decimal;
}

/** Takes a model out of every table; the default table may still price it. */
export const noPrice = (): PriceChange => NOWHERE;

type Table = Record<string, unknown>;

const tableOf = (text: string | undefined): Table => (text === undefined ? {} : JSON.parse(text));

/** The texts of the tables that change, after these changes of models. */
export function editTables(texts: Texts, changes: ReadonlyMap<string, PriceChange>): Texts {
  const edited: Texts = {};
  for (const key of PRICE_TABLES) {
    const table = new Map(Object.entries(tableOf(texts[key])));
    let isChanged = false;
    for (const [model, change] of changes) {
      const value = change[key];
      if (value === undefined || (value === null && !table.has(model)) || table.get(model) === value)
        continue;
      if (value === null) table.delete(model);
      else table.set(model, value);
      isChanged = true;
    }
    if (isChanged) edited[key] = JSON.stringify(Object.fromEntries(table), null, 2);
  }
  return edited;
}

/** What becomes of which model in which table, for the record. */
export const tableChanges = (texts: Texts, edited: Texts): Changes =>
  Object.assign(
    {},
    ...PRICE_TABLES.filter((key) => edited[key] !== undefined).map((key) =>
      tableChange(key, parseObject(texts[key] ?? '') ?? {}, parseObject(edited[key] ?? '') ?? {}),
    ),
  );
