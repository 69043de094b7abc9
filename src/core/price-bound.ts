/**
 * The most that a call can cost, before anybody knows what it uses: what is held for it, and how much an answer may say for
 * that. Whatever a token can turn out to be, it is weighed as the dearest of that, by the one formula.
 */
import { onceOf } from './once-of.ts';
import {
  type DoneBeside,
  isFree,
  type OutputItem,
  QUOTA_MAX,
  type Quote,
  quotaOf,
  type Rates,
  TOKEN_ITEMS,
  type TokenItem,
  type TokenPrice,
  type TokenRatios,
  tokensFor,
  tokenWeight,
} from './price-formula.ts';
import { noUsage, promptTokens, type Usage } from './usage.ts';

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

/** Of all kinds together. */
export const tokensOfBound = ({
  text,
  audio,
  image,
  films = 0,
}: Pick<PromptBound, 'text' | 'audio' | 'image' | 'films'>): number => text + audio + image + films;

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

/** Whether a longer call costs more, so that more is held for it. */
export const goesByLength = (quote: Quote): boolean => quote.price.kind === 'tokens' && !isFree(quote);

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
  const most = tokensOfBound(prompt);
  return price.tiers.filter((_, i, all) => (all[i - 1]?.upTo ?? 0) < most || i === 0);
}

/** By whether, and for how long, it may be written to a cache. */
type ByCaching = Readonly<Record<CacheLife | 'never', TokenItem>>;

/** What a token of each sort can turn out to be at the most: any may have been read from a cache. */
interface Dearest {
  text: ByCaching;
  audio: TokenItem;
  image: TokenItem;
  films: ByCaching;
  /** Of an answer, of which nobody knows before whether it is drawn. */
  answer: OutputItem;
  spoken: OutputItem;
}

/** Like the weights of the formula: worked out once for all calls of a model. */
const dearestOf = onceOf((ratios: TokenRatios): Dearest => {
  const among = <T extends TokenItem>(...items: [T, ...T[]]): T =>
    items.reduce((a, b) => (tokenWeight(ratios, b) > tokenWeight(ratios, a) ? b : a));
  const cached = (...beside: TokenItem[]): ByCaching => ({
    never: among('input', 'cacheRead', ...beside),
    minutes: among('input', 'cacheRead', 'cacheWrite', ...beside),
    hour: among('input', 'cacheRead', 'cacheWrite', 'cacheWriteHour', ...beside),
  });
  return {
    text: cached(),
    audio: among('input', 'cacheRead', 'cacheReadAudio', 'inputAudio'),
    image: among('input', 'cacheRead', 'inputImage'),
    films: cached('cacheReadAudio', 'inputAudio', 'inputImage', 'inputVideo'),
    answer: among('output', 'outputImage'),
    spoken: among('output', 'outputAudio', 'outputImage'),
  };
});

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
export function transcribedWith(known: DoneBeside, prompt: PromptBound, pieces: number): DoneBeside {
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
