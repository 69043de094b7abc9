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
import { noUsage, promptTokens, type Usage, type UsageCount } from './usage.ts';

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
interface Rates {
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

/** What another model has done for a call, at its own price: it writes down what is said in a session. */
export interface Transcribed {
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
  transcribed?: Transcribed;
}

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
    ? tierAt(price.tiers, 'input', promptTokens(usage))
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

/** One quote for each tier that a prompt of at most so many tokens can come to, with and without thoughts. */
function quotesWithin(quote: Quote, prompt: PromptBound): Quote[] {
  const { price } = quote;
  if (price.kind === 'call' || (!price.byMonth && !price.tiers && !price.thinking)) return [quote];
  return ratesWithin(price, prompt)
    .flatMap(({ ratios, thinking }) => (thinking && quote.thinks !== false ? [ratios, thinking] : [ratios]))
    .map((ratios) => ({ ...quote, price: { kind: 'tokens', ratios } }));
}

function ratesWithin(price: TokenPrice, prompt: PromptBound): readonly Rates[] {
  if (!price.tiers) return price.byMonth ?? [price];
  const most = prompt.text + prompt.audio + prompt.image + (prompt.films ?? 0);
  return price.tiers.filter((_, i, all) => (all[i - 1]?.upTo ?? 0) < most || i === 0);
}

type TokenItem = Exclude<UsageCount, 'reasoning'>;

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
const TOKEN_ITEMS = Object.keys(FACTORS) as TokenItem[];

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

function tokenWeight(ratios: TokenRatios, item: TokenItem): bigint {
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
const isFree = (quote: Quote): boolean =>
  groupFactor(quote) === 0n ||
  (isFreePrice(quote.price) &&
    (!quote.transcribed || isFreePrice(quote.transcribed.price)) &&
    !quote.tools?.some(({ count, usd }) => count > 0 && usd > 0n));

/** Whether a longer call costs more, so that more is held for it. */
export const goesByLength = (quote: Quote): boolean => quote.price.kind === 'tokens' && !isFree(quote);

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
  const { transcribed } = quote;
  if (transcribed) {
    const written = weighPrice(transcribed.price, transcribed.usage, transcribed.calls);
    sum += written.sum;
    used ||= written.used;
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

/** How many tokens of a kind an amount pays for beside a usage; QUOTA_MAX when they cost nothing more. */
export function tokensFor(amount: number, quote: Quote, usage: Usage, item: TokenItem): number {
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
      ...transcribedLines(quote),
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

const transcribedLines = ({ transcribed }: Quote): ChargeLine[] =>
  transcribed
    ? linesOf(transcribed.price, transcribed.usage, transcribed.calls).map((line) => ({
        ...line,
        model: transcribed.model,
      }))
    : [];

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

/** How long what a request marks is kept in the cache of its upstream: about five minutes, or an hour. */
export type CacheLife = 'minutes' | 'hour';

/** The most tokens that a prompt can have, by what they are charged as. */
export interface PromptBound {
  text: number;
  audio: number;
  image: number;
  /** Of films, and of files of which nobody here knows what they are: any kind. Absent where there are none. */
  films?: number;
  /** Of output that is no part of the answer: what was foretold of it, a summary before it. Absent where there is none. */
  foretold?: number;
  /** Its text may be written to a cache, and how long it is kept there at most; absent where nothing is marked. */
  written?: CacheLife;
}

/** A stream without an output limit is reserved as if it asked for this many tokens a choice; more is held as it grows. */
export const OUTPUT_ASSUMED = 4096;

/**
 * What a call without an output limit is thought to produce at most a choice, where nothing can be held in addition
 * later and the model's longest answer is unknown; and how many tokens are tried when an account does not have so much.
 */
export const OUTPUT_AT_ONCE = 32_768;
const OUTPUT_STEPS: readonly number[] = [8192, 2048, 512];
/** Responses takes no lower limit. */
const OUTPUT_LEAST = 16;

/** Thoughts that no limit of an answer counts. */
export interface ThoughtsBeside {
  /** The most tokens of them that the request itself allows, where that is kept to; null where nothing says. */
  most: number | null;
  /** Whoever may be asked can be told how much may be thought. */
  canLimit: boolean;
}

export interface CallBound {
  prompt: PromptBound;
  /** How many answers were asked for (`n`). */
  choices: number;
  /** The caller's output limit in tokens; null when there is none. */
  outputCap: number | null;
  /** What may be thought beside such a limit; absent where that counts thoughts. */
  thoughts?: ThoughtsBeside;
  /** More can be held while the answer comes. */
  extends: boolean;
  /** The answer may be spoken. */
  audioOut: boolean;
  /** Calls that a price a call counts. */
  calls: number;
}

/** One amount to try to hold. */
export interface ReserveStep {
  /** Quota units to hold before anything is sent. */
  amount: number;
  /** The output limit, in tokens a choice, that must be sent so that the call costs no more; null for none. */
  cap: number | null;
  /** How much of thoughts must be sent beside it; absent where none is limited. */
  thoughts?: number;
}

/** What to hold for a call; each amount is smaller than the one before, which did not fit. */
export type ReserveSteps = readonly [ReserveStep, ...ReserveStep[]];

/** By whether, and for how long, it may be written to a cache. */
type ByCaching = Readonly<Record<CacheLife | 'never', TokenItem>>;

/** What a token of each sort can turn out to be at the most: any may have been read from a cache. */
interface Dearest {
  text: ByCaching;
  audio: TokenItem;
  image: TokenItem;
  films: ByCaching;
  /** Of an answer, of which nobody knows before whether it is drawn. */
  answer: TokenItem;
  spoken: TokenItem;
}

/** Like `weights`: worked out once for all calls of a model. */
const dearests = new WeakMap<TokenRatios, Dearest>();

function dearestOf(ratios: TokenRatios): Dearest {
  let known = dearests.get(ratios);
  if (!known) {
    const among = (...items: [TokenItem, ...TokenItem[]]): TokenItem =>
      items.reduce((a, b) => (tokenWeight(ratios, b) > tokenWeight(ratios, a) ? b : a));
    const cached = (...beside: TokenItem[]): ByCaching => ({
      never: among('input', 'cacheRead', ...beside),
      minutes: among('input', 'cacheRead', 'cacheWrite', ...beside),
      hour: among('input', 'cacheRead', 'cacheWrite', 'cacheWriteHour', ...beside),
    });
    known = {
      text: cached(),
      audio: among('input', 'cacheRead', 'cacheReadAudio', 'inputAudio'),
      image: among('input', 'cacheRead', 'inputImage'),
      films: cached('cacheReadAudio', 'inputAudio', 'inputImage', 'inputVideo'),
      answer: among('output', 'outputImage'),
      spoken: among('output', 'outputAudio', 'outputImage'),
    };
    dearests.set(ratios, known);
  }
  return known;
}

/** The dearest usage that the tokens can turn out to be. */
function dearestUsage(
  { writesUnasked }: Pick<Quote, 'writesUnasked'>,
  ratios: TokenRatios,
  prompt: PromptBound,
  output: number,
  audioOut: boolean,
): Usage {
  const usage = noUsage();
  const dearest = dearestOf(ratios);
  const written = prompt.written ?? (writesUnasked ? 'minutes' : 'never');
  usage[dearest.text[written]] += prompt.text;
  usage[dearest.audio] += prompt.audio;
  usage[dearest.image] += prompt.image;
  usage[dearest.films[written]] += prompt.films ?? 0;
  usage[audioOut ? dearest.spoken : dearest.answer] += output;
  usage.output += prompt.foretold ?? 0;
  return usage;
}

const boundOf = (quote: Quote, call: CallBound, output: number): number =>
  Math.max(
    ...quotesWithin(quote, call.prompt).map((each) =>
      each.price.kind === 'call'
        ? quotaOf(each, noUsage(), call.calls)
        : quotaOf(
            each,
            dearestUsage(each, each.price.ratios, call.prompt, output, call.audioOut),
            call.calls,
          ),
    ),
  );

/** Tokens of so many that are held for at first: what grows is held for as it comes, else a budget as a whole. */
const atFirst = ({ extends: grows }: CallBound, most: number | null): number =>
  grows ? Math.min(most ?? OUTPUT_ASSUMED, OUTPUT_ASSUMED) : (most ?? OUTPUT_AT_ONCE);

/**
 * What to hold for a call. With an output limit, the price of the dearest answer. Without one, for an answer that is
 * held for as it grows, the price of 4,096 tokens a choice; for one that cannot be, of its longest. Whoever has less gets
 * the limit that what is held can pay for: thoughts are charged, and not all of them are seen to grow. Of an answer that
 * grows the least is its prompt and `preConsumed`. Thoughts that an output limit does not count are held beside it as if
 * there were none, and limited by a number of their own. A free call holds 0.
 */
export function reserveSteps(quote: Quote, call: CallBound, preConsumed: number): ReserveSteps {
  if (isFree(quote)) return [{ amount: 0, cap: null }];
  const boundWith = (tokens: number): number =>
    boundOf(quote, call, Math.min(call.choices * tokens, QUOTA_MAX));
  const { outputCap, thoughts } = call;
  const longest = atFirst(call, null);
  if (quote.price.kind === 'call') return [{ amount: boundWith(0), cap: null }];
  if (outputCap !== null) {
    if (!thoughts) return [{ amount: boundWith(outputCap), cap: null }];
    const most = atFirst(call, thoughts.most);
    const lengths = OUTPUT_STEPS.filter((tokens) => thoughts.canLimit && tokens < most);
    const asAsked = thoughts.most === most ? { thoughts: most } : {};
    return [
      { amount: boundWith(outputCap + most), cap: null, ...asAsked },
      ...lengths.map((tokens) => ({ amount: boundWith(outputCap + tokens), cap: null, thoughts: tokens })),
    ];
  }
  const least = Math.min(boundWith(0) + preConsumed, QUOTA_MAX);
  const first = { amount: Math.max(boundWith(longest), preConsumed), cap: null };
  if (thoughts && !thoughts.canLimit && !call.extends) return [first];
  const lengths = OUTPUT_STEPS.filter((tokens) => tokens < longest);
  const amounts = [...lengths, ...(call.extends ? [OUTPUT_LEAST] : [])].map((tokens) =>
    Math.max(boundWith(tokens), least),
  );
  const smaller = amounts
    .filter((amount, n) => amount < (amounts[n - 1] ?? first.amount))
    .map((amount) => cappedStep(quote, call, amount));
  return [first, ...smaller];
}

function cappedStep(quote: Quote, call: CallBound, amount: number): ReserveStep {
  const { prompt, choices, audioOut, thoughts } = call;
  const cap = Math.max(Math.floor(outputCovered(quote, prompt, amount, audioOut) / choices), 1);
  // What nothing limits takes no part of the answer's: it is held for as it grows.
  if (!thoughts?.canLimit || cap === 1) return { amount, cap };
  // Half for either: where one field limits both, they are added up again.
  const thought = Math.floor(cap / 2);
  return { amount, cap: cap - thought, thoughts: thought };
}

/** The dearest that a prompt can turn out to be, in quota units; nothing where a price does not count tokens. */
export const promptCost = (quote: Quote, prompt: PromptBound): number =>
  quote.price.kind === 'call'
    ? 0
    : Math.max(
        ...quotesWithin({ ...quote, tools: [] }, prompt).map((each) =>
          each.price.kind === 'call'
            ? 0
            : quotaOf(each, dearestUsage(each, each.price.ratios, prompt, 0, false)),
        ),
      );

/** How many output tokens a held amount pays for beside prompt and tools; QUOTA_MAX when output costs nothing more. */
export const outputCovered = (quote: Quote, prompt: PromptBound, amount: number, audioOut: boolean): number =>
  Math.min(...quotesWithin(quote, prompt).map((each) => coveredBy(each, prompt, amount, audioOut)));

function coveredBy(quote: Quote, prompt: PromptBound, amount: number, audioOut: boolean): number {
  if (quote.price.kind === 'call') return QUOTA_MAX;
  const { ratios } = quote.price;
  const { spoken, answer } = dearestOf(ratios);
  const usage = dearestUsage(quote, ratios, prompt, 0, false);
  return tokensFor(amount, quote, usage, audioOut ? spoken : answer);
}

/** What answers that are still to come can use at the most, all together. */
export interface AnswersBound {
  prompt: PromptBound;
  /** Tokens that may be spoken. */
  output: number;
  answers: number;
}

/** With so many pieces more to be written down, of which all is as dear as it can turn out to be. */
export function transcribedWith(known: Transcribed, prompt: PromptBound, pieces: number): Transcribed {
  const { price, usage, calls } = known;
  if (price.kind === 'call') return { ...known, calls: calls + pieces };
  const all = { ...usage };
  const more = dearestUsage({}, price.ratios, prompt, 0, false);
  for (const item of TOKEN_ITEMS) all[item] += more[item];
  return { ...known, usage: all, calls: calls + pieces };
}

/** The most that a session can have cost when such answers have been added to what it has used. */
export const mostAfter = (quote: Quote, used: Usage, answers: number, more: AnswersBound): number =>
  Math.max(
    ...quotesWithin(quote, { ...more.prompt, text: more.prompt.text + promptTokens(used) }).map((each) => {
      if (each.price.kind === 'call') return quotaOf(each, noUsage(), answers + more.answers);
      const usage = dearestUsage(each, each.price.ratios, more.prompt, more.output, true);
      for (const item of TOKEN_ITEMS) usage[item] += used[item];
      return quotaOf(each, usage, answers + more.answers);
    }),
  );
