/**
 * What a call costs its caller: the price of the model, of a second of a film or of a service, at the ratio of the groups.
 * A model that nothing prices is refused unless the caller or self-use mode accepts a deliberately dear fallback, which
 * nothing has that is out of sale.
 */
import { DECIMAL_ONE, type Decimal } from '../core/decimal.ts';
import { invariant } from '../core/invariant.ts';
import { own } from '../core/own.ts';
import { TOOLS_PRICED_LIKE } from '../core/paid-tools.ts';
import { type Quote, UNITS_PER_USD } from '../core/price-formula.ts';
import { keptByVersion } from '../options/by-version.ts';
import { DEFAULT_GROUP } from '../options/checks.ts';
import type { Options } from '../options/store.ts';
import { usdPerSecond } from '../options/video-price.ts';
import { decimal, ratioIn } from './exact-ratios.ts';
import { isPriced, isUnsold, pricedModel, unsetPrice } from './priced-model.ts';

export interface QuoteRequest {
  /** The name that the caller asked for. */
  model: string;
  /** The group whose channels are used. */
  group: string;
  /** The caller's own group. */
  userGroup: string;
  /** The caller accepts models without a price. */
  acceptUnset: boolean;
}

/** The price of a call, and what it is the price of. */
export interface CallQuote extends Quote {
  /** The name of what is sold; empty where that is no model. Whatever counts what a user has used goes by it. */
  sold: string;
}
/** A service, or to carry a call with its caller's own key. */
const NO_MODEL = '';

/** The same quote stands for all calls of a model by one group in another, so that what follows from it is made once, too. */
const foundQuotes = keptByVersion(() => new Map<string, CallQuote>());
/** Names that ask a model to think may hold any number. */
const QUOTES_MAX = 10_000;

/**
 * The price of a call now; null when nothing prices the model, and it is out of sale or neither caller nor self-use mode
 * accepts that.
 */
export function quoteFor(options: Options, request: QuoteRequest): CallQuote | null {
  const { model, group, userGroup, acceptUnset } = request;
  const quotes = foundQuotes(options);
  const name = `${group}\0${userGroup}\0${model}`;
  const known = quotes.get(name);
  if (known) return known;
  const priced = pricedModel(options, model);
  if (!priced) {
    return isSoldUnset(options, model, acceptUnset)
      ? quoteOf(options, unsetPrice(options, model), request)
      : null;
  }
  const quote = Object.freeze(quoteOf(options, priced, request));
  if (quotes.size >= QUOTES_MAX) quotes.clear();
  quotes.set(name, quote);
  return quote;
}

const isSoldUnset = (options: Options, model: string, acceptUnset: boolean): boolean =>
  (acceptUnset || options.get('SelfUseModeEnabled')) && !isUnsold(options, model);

/** No call of it is refused for want of a price by who accepts that, or does not: one of some kind at the least is taken. */
export const isSold = (options: Options, model: string, acceptUnset: boolean): boolean =>
  isPriced(options, model) || isSoldUnset(options, model, acceptUnset);

const quoteOf = (
  options: Options,
  { sold, price, source, writesUnasked }: Pick<CallQuote, 'sold' | 'price' | 'source' | 'writesUnasked'>,
  { group, userGroup }: QuoteRequest,
): CallQuote => ({
  sold,
  price,
  source,
  ...groupRatios(options, group, userGroup),
  selfUse: options.get('SelfUseModeEnabled'),
  ...(writesUnasked && { writesUnasked: true }),
});

/**
 * The price of one second of a film, of which a call has as many as it asks for; null where the operator has named none
 * for the model: nothing else prices films.
 */
export function videoQuote(
  options: Options,
  { model, size, group, userGroup }: Omit<QuoteRequest, 'acceptUnset'> & { size: string },
): CallQuote | null {
  const price = own(options.get('VideoPrice'), model);
  if (!price) return null;
  return {
    sold: model,
    price: { kind: 'call', usd: decimal(usdPerSecond(price, size)) },
    source: 'option',
    ...groupRatios(options, group, userGroup),
    selfUse: options.get('SelfUseModeEnabled'),
  };
}

/** The price of a call of a tool service: so many quota units before the ratio of the group, like a price a call. */
export const serviceQuote = (
  options: Options,
  { quota, group, userGroup }: Pick<QuoteRequest, 'group' | 'userGroup'> & { quota: number },
): CallQuote => ({
  sold: NO_MODEL,
  price: { kind: 'call', usd: (BigInt(quota) * DECIMAL_ONE) / BigInt(UNITS_PER_USD) },
  source: 'option',
  ...groupRatios(options, group, userGroup),
  selfUse: options.get('SelfUseModeEnabled'),
});

/** The price of a call with the caller's own key: the operator's flat fee, whatever the model and the group. */
export const ownKeyQuote = (options: Options): CallQuote => ({
  sold: NO_MODEL,
  price: { kind: 'call', usd: (BigInt(options.get('ByokFee')) * DECIMAL_ONE) / BigInt(UNITS_PER_USD) },
  source: 'own_key',
  groupRatio: DECIMAL_ONE,
  userGroupRatio: null,
  selfUse: options.get('SelfUseModeEnabled'),
});

/** What a group of users pays in a group of channels. A group that is gone counts as the default group, which there always is. */
function groupRatios(
  options: Options,
  group: string,
  userGroup: string,
): Pick<Quote, 'groupRatio' | 'userGroupRatio'> {
  const all = options.get('GroupRatio');
  const standing = (name: string) => (Object.hasOwn(all, name) ? name : DEFAULT_GROUP);
  const used = standing(group);
  const groupRatio = ratioIn(all, used);
  invariant(groupRatio !== null, 'there is a default group');
  const ofUsers = own(options.get('GroupGroupRatio'), standing(userGroup)) ?? {};
  return { groupRatio, userGroupRatio: ratioIn(ofUsers, used) };
}

/** US dollars per thousand uses of upstreams' own tools. */
export const toolPrices = keptByVersion((options) => {
  const given = Object.entries(options.get('ToolPrices'));
  return withAllNames(Object.fromEntries(given.map(([tool, usd]) => [tool, decimal(usd)])));
});

/** What the operator does not name goes by what is sold like it. */
function withAllNames(named: Readonly<Record<string, Decimal>>): Readonly<Record<string, Decimal>> {
  const table = { ...named };
  for (const [name, { like, times }] of Object.entries(TOOLS_PRICED_LIKE)) {
    const price = own(named, like);
    if (price !== undefined) table[name] ??= (price * decimal(times)) / DECIMAL_ONE;
  }
  return table;
}
