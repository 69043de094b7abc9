/**
 * The factors of a charge as they stand in a log row's `other`, and the charge worked out again from such a row. The
 * names are the spec's; those that it does not know (one-hour cache writes, images, calls) are ours.
 */
import { type Decimal, decimalOf, decimalText } from './decimal.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import {
  type Charge,
  chargeOf,
  type DoneBeside,
  type Price,
  type Quote,
  settledQuote,
  type TierSpan,
  type TokenRatios,
  type ToolCharge,
} from './price-formula.ts';
import { cached, completionTokens, noUsage, promptTokens, type Usage } from './usage.ts';

/** Decimals come from numbers, so their shortest text names the same number again. */
function numberOf(value: Decimal): number {
  let number = numbers.get(value);
  if (number === undefined) {
    number = Number(decimalText(value));
    if (numbers.size >= NUMBERS_MAX) numbers.clear();
    numbers.set(value, number);
  }
  return number;
}

/** The same few ratios stand in every row. */
const numbers = new Map<Decimal, number>();
const NUMBERS_MAX = 10_000;

const NONE = -1;

/** What a log row says about the price of its call: every factor, and the counts that its two token columns do not tell apart. */
export function priceRecord(asked: Quote, usage: Usage, calls = 1): JsonObject {
  const quote = settledQuote(asked, usage);
  const { price } = quote;
  // Written field by field: every call has such a record, and to spread parts into it takes several times as long.
  const record: JsonObject = { model_price: NONE };
  if (price.kind === 'call') {
    const { usd, factor } = price;
    record.model_price = numberOf(usd);
    if (calls !== 1) record.calls = calls;
    if (factor !== undefined) record.call_factor = numberOf(factor);
    writeGroups(record, quote);
  } else {
    writeGroups(record, quote);
    writeRatios(record, price.ratios, usage);
    if (price.tier) record.price_tier = tierField(price.tier);
    if (price.thought) record.thinking_price = true;
  }
  if (quote.transcribed) record.transcribed = besideField(quote.transcribed);
  if (quote.drawn) record.drawn = besideField(quote.drawn);
  return record;
}

/** Its own factors and counts, in the words of the record that holds it. */
function besideField({ model, price, usage, calls }: DoneBeside): JsonObject {
  if (price.kind === 'call') return { model, model_price: numberOf(price.usd), calls };
  const field: JsonObject = {
    model,
    model_price: NONE,
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    calls,
  };
  writeRatios(field, price.ratios, usage);
  return field;
}

function writeGroups(
  record: JsonObject,
  { groupRatio, userGroupRatio, source, selfUse, tools }: Quote,
): void {
  record.group_ratio = numberOf(groupRatio);
  record.user_group_ratio = userGroupRatio === null ? NONE : numberOf(userGroupRatio);
  record.price_source = source;
  if (selfUse) record.self_use = true;
  if (tools) {
    record.tool_uses = tools.map(({ tool, count, usd }) => ({ tool, count, price: numberOf(usd) }));
  }
}

/** Which tier the ratios are of, and the count that chose it. */
const tierField = ({ by, from, upTo, count }: TierSpan): JsonObject => ({ by, from, up_to: upTo, count });

function writeRatios(record: JsonObject, ratios: TokenRatios, usage: Usage): void {
  record.model_ratio = numberOf(ratios.model);
  record.completion_ratio = numberOf(ratios.completion);
  record.cache_tokens = cached(usage);
  record.cache_ratio = numberOf(ratios.cacheRead);
  if (usage.cacheReadAudio > 0) {
    record.cache_tokens_audio = usage.cacheReadAudio;
    record.cache_ratio_audio = numberOf(ratios.cacheReadAudio);
  }
  const cacheWrites = usage.cacheWrite + usage.cacheWriteHour;
  if (cacheWrites > 0) {
    record.cache_creation_tokens = cacheWrites;
    record.cache_creation_ratio = numberOf(ratios.cacheWrite);
  }
  if (usage.cacheWriteHour > 0) {
    record.cache_creation_tokens_1h = usage.cacheWriteHour;
    record.cache_creation_ratio_1h = numberOf(ratios.cacheWriteHour);
  }
  if (usage.inputAudio + usage.outputAudio > 0) {
    record.audio = true;
    record.audio_input = usage.inputAudio;
    record.audio_output = usage.outputAudio;
    record.text_input = usage.input;
    record.text_output = usage.output;
    record.audio_ratio = numberOf(ratios.audio);
    record.audio_completion_ratio = numberOf(ratios.audioCompletion);
  }
  if (usage.inputImage + usage.outputImage > 0) {
    record.image_input = usage.inputImage;
    record.image_output = usage.outputImage;
    record.image_ratio = numberOf(ratios.image);
    record.image_completion_ratio = numberOf(ratios.imageCompletion);
  }
  if (usage.inputVideo > 0) {
    record.video_input = usage.inputVideo;
    record.video_ratio = numberOf(ratios.video);
  }
  if (usage.reasoning > 0) record.reasoning_tokens = usage.reasoning;
}

const countIn = (other: JsonObject, name: string): number => {
  const value: Json | undefined = other[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
};

/** The decimal of a field; `missing` when it is not there or says "none" by -1. */
const decimalIn = (other: JsonObject, name: string, missing: number): Decimal =>
  decimalOf(typeof other[name] === 'number' ? other[name] : missing) ?? decimalOf(missing) ?? 0n;

const SOURCES = ['option', 'default', 'unset', 'own_key'] as const;

/** The price that a log row's `other` tells; null when it tells none (failed calls, rows of other types). */
export function quoteOfRecord(other: JsonObject): Quote | null {
  const price = priceIn(other);
  if (!price) return null;
  const userGroup = other.user_group_ratio;
  return {
    price,
    groupRatio: decimalIn(other, 'group_ratio', 1),
    userGroupRatio:
      typeof userGroup === 'number' && userGroup >= 0 ? decimalIn(other, 'user_group_ratio', 1) : null,
    source: SOURCES.find((source) => source === other.price_source) ?? 'option',
    selfUse: other.self_use === true,
    ...toolsOfRecord(other),
    ...besideOfRecord(other, 'transcribed'),
    ...besideOfRecord(other, 'drawn'),
  };
}

function priceIn(other: JsonObject): Price | null {
  if (typeof other.model_price === 'number' && other.model_price >= 0) {
    return {
      kind: 'call',
      usd: decimalIn(other, 'model_price', 0),
      ...(typeof other.call_factor === 'number' && { factor: decimalIn(other, 'call_factor', 1) }),
    };
  }
  if (typeof other.model_ratio !== 'number') return null;
  return {
    kind: 'tokens',
    ...(other.thinking_price === true && { thought: true }),
    ratios: {
      model: decimalIn(other, 'model_ratio', 0),
      completion: decimalIn(other, 'completion_ratio', 1),
      cacheRead: decimalIn(other, 'cache_ratio', 1),
      cacheReadAudio: decimalIn(other, 'cache_ratio_audio', 1),
      cacheWrite: decimalIn(other, 'cache_creation_ratio', 1),
      cacheWriteHour: decimalIn(other, 'cache_creation_ratio_1h', 1),
      audio: decimalIn(other, 'audio_ratio', 1),
      audioCompletion: decimalIn(other, 'audio_completion_ratio', 1),
      image: decimalIn(other, 'image_ratio', 1),
      imageCompletion: decimalIn(other, 'image_completion_ratio', 1),
      video: decimalIn(other, 'video_ratio', 1),
    },
  };
}

/** What another model has done for it; nothing where none has. */
function besideOfRecord(other: JsonObject, field: 'transcribed' | 'drawn'): Pick<Quote, typeof field> {
  const held = other[field];
  if (!isObject(held)) return {};
  const price = priceIn(held);
  if (!price || typeof held.model !== 'string') return {};
  const columns = {
    prompt_tokens: countIn(held, 'prompt_tokens'),
    completion_tokens: countIn(held, 'completion_tokens'),
  };
  const usage = usageOfRecord(columns, held);
  return { [field]: { model: held.model, price, usage, calls: countIn(held, 'calls') } };
}

/** What the tools of the call cost; nothing where it used none. */
function toolsOfRecord({ tool_uses: uses }: JsonObject): Pick<Quote, 'tools'> {
  if (!Array.isArray(uses)) return {};
  const tools = uses.flatMap((each): ToolCharge[] =>
    isObject(each) && typeof each.tool === 'string'
      ? [
          {
            tool: each.tool,
            count: countIn(each as JsonObject, 'count'),
            usd: decimalIn(each as JsonObject, 'price', 0),
          },
        ]
      : [],
  );
  return { tools };
}

/** The tier that a row's ratios are of; null when its price has none. */
export function tierOfRecord(other: JsonObject): TierSpan | null {
  const { price_tier: held } = other;
  if (typeof held !== 'object' || held === null || Array.isArray(held)) return null;
  const upTo = typeof held.up_to === 'number' ? held.up_to : null;
  return {
    by: held.by === 'month' ? 'month' : 'input',
    from: countIn(held, 'from'),
    upTo,
    count: countIn(held, 'count'),
  };
}

/** A log row's two token columns, taken apart again by its `other`. */
export function usageOfRecord(
  row: { prompt_tokens: number; completion_tokens: number },
  other: JsonObject,
): Usage {
  const parts = {
    cacheRead: countIn(other, 'cache_tokens') - countIn(other, 'cache_tokens_audio'),
    cacheReadAudio: countIn(other, 'cache_tokens_audio'),
    cacheWriteHour: countIn(other, 'cache_creation_tokens_1h'),
    cacheWrite: countIn(other, 'cache_creation_tokens') - countIn(other, 'cache_creation_tokens_1h'),
    inputAudio: countIn(other, 'audio_input'),
    inputImage: countIn(other, 'image_input'),
    inputVideo: countIn(other, 'video_input'),
    outputAudio: countIn(other, 'audio_output'),
    outputImage: countIn(other, 'image_output'),
    reasoning: countIn(other, 'reasoning_tokens'),
  };
  const apart = { ...noUsage(), ...parts };
  return {
    ...apart,
    input: row.prompt_tokens - promptTokens(apart),
    output: row.completion_tokens - completionTokens(apart),
  };
}

/** The charge of a log row, worked out with its lines; null when the row tells no price or its counts do not fit together. */
export function chargeOfRecord(
  row: { prompt_tokens: number; completion_tokens: number },
  other: JsonObject,
): Charge | null {
  const quote = quoteOfRecord(other);
  if (!quote) return null;
  const usage = usageOfRecord(row, other);
  if (Object.values(usage).some((count) => count < 0)) return null;
  return chargeOf(quote, usage, typeof other.calls === 'number' ? countIn(other, 'calls') : 1);
}
