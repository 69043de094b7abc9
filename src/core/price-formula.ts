/**
 * What a call costs: usage times ratios, in exact integers with one rounding at the end. The server charges by it, the
 * log's drawer prints its lines, the tests check it; there is no second formula.
 *
 *   quota = (input + cacheRead × cacheReadRatio + … + output × completionRatio + …) × modelRatio × groupRatio
 *
 * A ratio of 1 is $2 per 1M tokens, so one weighted token is one quota unit and 500,000 units are one US dollar.
 */
import { DECIMAL_ONE, DECIMAL_PLACES, type Decimal, decimalText } from './decimal.ts';
import { invariant } from './invariant.ts';
import { own } from './own.ts';
import { longestPrompt, type Usage, type UsageCount } from './usage.ts';

export const UNITS_PER_USD = 500_000;

/** The largest amount of quota: what a JavaScript number holds exactly. Charges stop growing there. */
export const QUOTA_MAX = Number.MAX_SAFE_INTEGER;

/** Prices a token, each relative to `model` unless said otherwise. */
export interface TokenRatios {
  model: Decimal;
  completion: Decimal;
  cacheRead: Decimal;
  /** Of sound that came from a cache. */
  cacheReadAudio: Decimal;
  cacheWrite: Decimal;
  cacheWriteHour: Decimal;
  audio: Decimal;
  /** Relative to `audio`. */
  audioCompletion: Decimal;
  image: Decimal;
  imageCompletion: Decimal;
  video: Decimal;
}

/** Where a tier of prices begins and ends, and the count that chose it. */
export interface TierSpan {
  /** What is counted: the tokens of the call's prompt, or those that its user has used of the model this month. */
  by: 'input' | 'month';
  /** It is for more than this. */
  from: number;
  /** The most that it is for; null for the last. */
  upTo: number | null;
  count: number;
}

/** What tokens cost. */
export interface Rates {
  ratios: TokenRatios;
  /** The same, with the `completion` of a call that thinks, all of whose words cost more at some vendors; absent where it is no other. */
  thinking?: TokenRatios;
}

export interface PriceTier extends Rates {
  /** The longest prompt that it is for; null for the last. */
  upTo: number | null;
}

/** Ratios with `tiers` are those of the first; the call's prompt chooses among them when it is known. */
export interface TokenPrice extends Rates {
  kind: 'tokens';
  tiers?: readonly PriceTier[];
  /** Tiers among which the tokens of the month choose, which only the settlement knows. */
  byMonth?: readonly PriceTier[];
  /** The tier that has been chosen. */
  tier?: TierSpan;
  /** Its ratios are those of a call that has thought, which are others than those of one that has not. */
  thought?: true;
}

export type Price =
  | TokenPrice
  /**
   * `factor` weighs each call by what was asked of it; 1 where it is absent. A call for pictures counts each of them, a
   * chat each of the answers that it asks for (`n`), or each picture where more are drawn.
   */
  | { kind: 'call'; usd: Decimal; factor?: Decimal };

/** How often each paid tool of an upstream was used. */
export type ToolUses = Readonly<Record<string, number>>;

/** Uses of one tool, at US dollars a thousand. */
export interface ToolCharge {
  tool: string;
  count: number;
  usd: Decimal;
}

/** What another model has done for a call, at its own price: it writes down what is said in a session, or draws for a chat. */
export interface DoneBeside {
  model: string;
  /** Without tiers. */
  price: Price;
  usage: Usage;
  /** How many pieces it wrote down. */
  calls: number;
}

/** The price of one call, frozen when it was admitted: later changes of options do not touch it. */
export interface Quote {
  price: Price;
  groupRatio: Decimal;
  /** Replaces the group's ratio for callers of certain groups; null when there is none. */
  userGroupRatio: Decimal | null;
  /**
   * Where the price came from: set by the operator, the dated default table, or nowhere (the dear fallback); or it is the
   * flat fee of a call with the caller's own key.
   */
  source: 'option' | 'default' | 'unset' | 'own_key';
  selfUse: boolean;
  /** The upstream writes prompts to its cache, and charges for that, also where no request marks what to keep. */
  writesUnasked?: boolean;
  /** Whether the call thinks: it was seen to, or is known not to. Absent where the usage alone tells it. */
  thinks?: boolean;
  /** What the upstream's own tools cost beside the model, once it is known. */
  tools?: readonly ToolCharge[];
  /** What its session had written down by a model of its own. */
  transcribed?: DoneBeside;
  /** What a tool of its upstream has drawn, where the tokens of that are told. */
  drawn?: DoneBeside;
}

/** What other models have done for it. */
const besideOf = ({ transcribed, drawn }: Quote): readonly DoneBeside[] =>
  transcribed || drawn ? [transcribed, drawn].filter((each) => each !== undefined) : NOTHING_BESIDE;
const NOTHING_BESIDE: readonly DoneBeside[] = [];

/** How many calls a price a call counts: a flat fee is due once, however many pictures come. */
export const countedCalls = ({ source }: Quote, calls: number): number =>
  source === 'own_key' ? Math.min(calls, 1) : calls;

/** The tier of a count, and where it stands. The last tier is for everything beyond. */
export function tierAt<T extends { upTo: number | null }>(
  tiers: readonly T[],
  by: TierSpan['by'],
  count: number,
): { chosen: T; span: TierSpan } {
  const at = tiers.findIndex(({ upTo }) => upTo === null || count <= upTo);
  const chosen = tiers[at];
  invariant(chosen !== undefined, 'the last tier has no end');
  return { chosen, span: { by, from: tiers[at - 1]?.upTo ?? 0, upTo: chosen.upTo, count } };
}

/** The quote with the tier of a usage's prompt, if its price has tiers, and with the price of its thoughts if they have one. */
export function settledQuote(quote: Quote, usage: Usage): Quote {
  const { price } = quote;
  if (price.kind === 'call' || price.byMonth || (!price.tiers && !price.thinking)) return quote;
  const { chosen, span } = price.tiers
    ? tierAt(price.tiers, 'input', longestPrompt(usage))
    : { chosen: price, span: price.tier };
  const tier = span && { tier: span };
  const thought = quote.thinks === true || usage.reasoning > 0 ? chosen.thinking : undefined;
  return {
    ...quote,
    price: thought
      ? { kind: 'tokens', ratios: thought, ...tier, thought: true }
      : { kind: 'tokens', ratios: chosen.ratios, ...tier },
  };
}

/** Whether a call that thinks costs more, or less. */
export const pricesThoughts = ({ price }: Quote): boolean =>
  price.kind === 'tokens' &&
  (price.byMonth ?? price.tiers ?? [price]).some(({ thinking }) => thinking !== undefined);

/** A price by the month once for each of its tiers, in their order; the count that chooses is filled in by the settlement. */
export function quotesByMonth(quote: Quote): { upTo: number | null; quote: Quote }[] {
  const { price } = quote;
  if (price.kind === 'call' || !price.byMonth) return [];
  return price.byMonth.map(({ upTo, ...rates }, i, all) => {
    const tier: TierSpan = { by: 'month', from: all[i - 1]?.upTo ?? 0, upTo, count: 0 };
    return { upTo, quote: { ...quote, price: { kind: 'tokens', ...rates, tier } } };
  });
}

export type TokenItem = Exclude<UsageCount, 'reasoning'>;

/** The factors behind each kind of token, in the order in which a receipt names them. */
const FACTORS: Readonly<Record<TokenItem, (r: TokenRatios) => Decimal[]>> = {
  input: (r) => [r.model],
  cacheRead: (r) => [r.model, r.cacheRead],
  cacheReadAudio: (r) => [r.model, r.cacheReadAudio],
  cacheWrite: (r) => [r.model, r.cacheWrite],
  cacheWriteHour: (r) => [r.model, r.cacheWriteHour],
  inputAudio: (r) => [r.model, r.audio],
  inputImage: (r) => [r.model, r.image],
  inputVideo: (r) => [r.model, r.video],
  output: (r) => [r.model, r.completion],
  outputAudio: (r) => [r.model, r.audio, r.audioCompletion],
  outputImage: (r) => [r.model, r.imageCompletion],
};
export const TOKEN_ITEMS = Object.keys(FACTORS) as TokenItem[];

/** At most this many factors stand before the group's ratio, so that every product fits one scale. */
const FACTORS_MAX = 3;
const WEIGHT_PLACES = DECIMAL_PLACES * FACTORS_MAX;
const EXACT_PLACES = WEIGHT_PLACES + DECIMAL_PLACES;
const EXACT_ONE = 10n ** BigInt(EXACT_PLACES);

/** Quota units of one piece, scaled by 10^WEIGHT_PLACES. */
const weightOf = (factors: readonly Decimal[]): bigint => {
  let weight = 1n;
  for (let i = 0; i < FACTORS_MAX; i++) weight *= factors[i] ?? DECIMAL_ONE;
  return weight;
};

/** Ratios are shared by all calls of a model, so that their products are worked out once. */
const weights = new WeakMap<TokenRatios, Partial<Record<TokenItem, bigint>>>();

export function tokenWeight(ratios: TokenRatios, item: TokenItem): bigint {
  let known = weights.get(ratios);
  if (!known) {
    known = {};
    weights.set(ratios, known);
  }
  known[item] ??= weightOf(FACTORS[item](ratios));
  return known[item];
}

type CallPrice = Extract<Price, { kind: 'call' }>;

const callWeight = ({ usd, factor = DECIMAL_ONE }: CallPrice): bigint =>
  weightOf([usd, factor]) * BigInt(UNITS_PER_USD);

/** The quote of a call whose price a call is weighed; prices a token do not ask what was made of them. */
export const weighed = <Q extends Quote>(quote: Q, factor: Decimal): Q =>
  quote.price.kind === 'call' && factor !== DECIMAL_ONE
    ? { ...quote, price: { ...quote.price, factor } }
    : quote;

const TOOL_CALLS = 1000n;

const toolWeight = ({ usd }: ToolCharge): bigint => (weightOf([usd]) * BigInt(UNITS_PER_USD)) / TOOL_CALLS;

/** The quote with the uses of tools that have a price, in US dollars a thousand. */
export function withTools<Q extends Quote>(
  quote: Q,
  uses: ToolUses,
  prices: Readonly<Record<string, Decimal>>,
): Q {
  const tools: ToolCharge[] = [];
  for (const tool of Object.keys(uses)) {
    const count = uses[tool] ?? 0;
    const usd = own(prices, tool);
    if (usd !== undefined && count !== 0) tools.push({ tool, count, usd });
  }
  return tools.length === 0 ? quote : { ...quote, tools };
}

/** What tools alone cost, in quota units, rounded up. */
export function toolCost(quote: Quote, uses: ToolUses, prices: Readonly<Record<string, Decimal>>): number {
  const { tools = [] } = withTools(quote, uses, prices);
  if (tools.length === 0) return 0;
  const sum = tools.reduce((all, each) => all + toolWeight(each) * BigInt(each.count), 0n);
  return clamp((sum * groupFactor(quote) + EXACT_ONE - 1n) / EXACT_ONE);
}

const groupFactor = (quote: Quote): Decimal => quote.userGroupRatio ?? quote.groupRatio;

/** Costs nothing whatever is used. */
export const isFree = (quote: Quote): boolean =>
  groupFactor(quote) === 0n ||
  (isFreePrice(quote.price) &&
    besideOf(quote).every(({ price }) => isFreePrice(price)) &&
    !quote.tools?.some(({ count, usd }) => count > 0 && usd > 0n));

function isFreePrice(price: Price): boolean {
  if (price.kind === 'call') return price.usd === 0n;
  return (price.byMonth ?? price.tiers ?? [price]).every(({ ratios }) => ratios.model === 0n);
}

function checkCount(count: number, what: string): void {
  if (!Number.isSafeInteger(count) || count < 0) invariant(false, `${what} is ${count}, not a count`);
}

/** Weighted units before the group's ratio, and whether anything was used. The tier has been chosen. */
function weigh(quote: Quote, usage: Usage, calls: number): { sum: bigint; used: boolean } {
  let { sum, used } = weighPrice(quote.price, usage, calls);
  for (const each of quote.tools ?? []) {
    checkCount(each.count, each.tool);
    sum += toolWeight(each) * BigInt(each.count);
  }
  for (const beside of besideOf(quote)) {
    const done = weighPrice(beside.price, beside.usage, beside.calls);
    sum += done.sum;
    used ||= done.used;
  }
  return { sum, used };
}

function weighPrice(price: Price, usage: Usage, calls: number): { sum: bigint; used: boolean } {
  checkCount(calls, 'calls');
  if (price.kind === 'call') return { sum: callWeight(price) * BigInt(calls), used: calls > 0 };
  let sum = 0n;
  let used = false;
  for (const item of TOKEN_ITEMS) {
    const tokens = usage[item];
    checkCount(tokens, item);
    if (tokens === 0) continue;
    used = true;
    sum += tokenWeight(price.ratios, item) * BigInt(tokens);
  }
  return { sum, used };
}

const clamp = (quota: bigint): number => (quota > QUOTA_MAX ? QUOTA_MAX : Number(quota));

function roundCharge(quote: Quote, sum: bigint, used: boolean): number {
  const rounded = (2n * sum * groupFactor(quote) + EXACT_ONE) / (2n * EXACT_ONE);
  return rounded === 0n && used && !isFree(quote) ? 1 : clamp(rounded);
}

/**
 * Quota units of one call: rounded half up once, at least 1 when the price is above 0 and anything was used. A price a
 * call counts `calls` (images: how many) and not the tokens. Usage that is not made of counts is the caller's bug.
 */
export function quotaOf(quote: Quote, usage: Usage, calls = 1): number {
  const byMonth = quotesByMonth(quote);
  // Until the settlement has chosen the tier: what it can come to.
  if (byMonth.length > 0) return Math.max(...byMonth.map((tier) => quotaOf(tier.quote, usage, calls)));
  const settled = settledQuote(quote, usage);
  const { sum, used } = weigh(settled, usage, calls);
  return roundCharge(settled, sum, used);
}

/** What an answer is made of; no tier goes by how much of it there is. */
export type OutputItem = Extract<TokenItem, 'output' | 'outputAudio' | 'outputImage'>;

/** How many tokens of an answer an amount pays for beside a usage; QUOTA_MAX when they cost nothing more. */
export function tokensFor(amount: number, asked: Quote, usage: Usage, item: OutputItem): number {
  const byMonth = quotesByMonth(asked);
  if (byMonth.length > 0)
    return Math.min(...byMonth.map((tier) => tokensFor(amount, tier.quote, usage, item)));
  const quote = settledQuote(asked, usage);
  if (isFree(quote) || quote.price.kind === 'call') return QUOTA_MAX;
  const held = BigInt(amount) * EXACT_ONE;
  const spent = weigh(quote, usage, 1).sum * groupFactor(quote);
  const each = tokenWeight(quote.price.ratios, item) * groupFactor(quote);
  if (each === 0n) return QUOTA_MAX;
  return spent >= held ? 0 : clamp((held - spent) / each);
}

/** One line of the worked-out formula; every number as decimal text, exact. */
export interface ChargeLine {
  item: TokenItem | 'outputThought' | 'call' | 'tool';
  /** Of a tool. */
  tool?: string;
  /** Of a model beside the one that was called. */
  model?: string;
  /** Tokens, calls, or uses. */
  count: number;
  /** `1.25 × 0.5` as its factors; a price a call has its dollars here. */
  factors: string[];
  /** count × factors, in quota units before the group's ratio. */
  weighted: string;
  /** US dollars per 1M tokens before the group's ratio; of a price a call, per call. */
  usd: string;
}

export interface Charge {
  quota: number;
  lines: ChargeLine[];
  /** The lines' sum. */
  sum: string;
  groupRatio: string;
  /** sum × groupRatio; `quota` is this, rounded half up. */
  exact: string;
  /** The rounding gave 0 and the least charge of 1 stands. */
  raisedToOne: boolean;
}

/** The same charge with its lines, which add up to it. */
export function chargeOf(asked: Quote, usage: Usage, calls = 1): Charge {
  const quote = settledQuote(asked, usage);
  const { sum, used } = weigh(quote, usage, calls);
  const quota = roundCharge(quote, sum, used);
  const exact = sum * groupFactor(quote);
  return {
    quota,
    lines: [
      ...linesOf(quote.price, usage, calls),
      ...besideOf(quote).flatMap(besideLines),
      ...(quote.tools ?? []).map(toolLine),
    ],
    sum: decimalText(sum, WEIGHT_PLACES),
    groupRatio: decimalText(groupFactor(quote)),
    exact: decimalText(exact, EXACT_PLACES),
    raisedToOne: quota === 1 && 2n * exact < EXACT_ONE,
  };
}

function toolLine(charge: ToolCharge): ChargeLine {
  const { tool, count, usd } = charge;
  return {
    item: 'tool',
    tool,
    count,
    factors: [decimalText(usd)],
    weighted: decimalText(toolWeight(charge) * BigInt(count), WEIGHT_PLACES),
    usd: decimalText(usd),
  };
}

const besideLines = ({ model, price, usage, calls }: DoneBeside): ChargeLine[] =>
  linesOf(price, usage, calls).map((line) => ({ ...line, model }));

function linesOf(price: Price, usage: Usage, calls: number): ChargeLine[] {
  if (price.kind === 'call') {
    if (calls === 0) return [];
    const { usd, factor } = price;
    const factors = [usd, ...(factor === undefined ? [] : [factor])].map((each) => decimalText(each));
    const each = callWeight(price);
    const weighted = decimalText(each * BigInt(calls), WEIGHT_PLACES);
    const dollars = decimalText(each / BigInt(UNITS_PER_USD), WEIGHT_PLACES);
    return [{ item: 'call', count: calls, factors, weighted, usd: dollars }];
  }
  return TOKEN_ITEMS.filter((item) => usage[item] > 0).map((item) => {
    const weight = tokenWeight(price.ratios, item);
    return {
      item: item === 'output' && price.thought ? 'outputThought' : item,
      count: usage[item],
      factors: FACTORS[item](price.ratios).map((factor) => decimalText(factor)),
      weighted: decimalText(weight * BigInt(usage[item]), WEIGHT_PLACES),
      usd: decimalText((weight * 1_000_000n) / BigInt(UNITS_PER_USD), WEIGHT_PLACES),
    };
  });
}
