/**
 * What well-known models cost, as list prices of their vendors for standard service. The file is made by
 * `./scripts/refresh-prices`. The options ModelRatio, CompletionRatio, CacheRatio and ModelPrice start with these; what
 * an operator's own table does not name is priced from here and shown as "default".
 */
import { USD_PER_RATIO } from '../core/price-ratio.ts';
import file from './default-prices.json';
import type { TierPrice } from './tiered-price.ts';

/** US dollars per million tokens. A price that is absent is no special price. */
export interface ListPrice {
  input: number;
  output: number;
  /** All output of a call that thinks; where it is absent it costs what other output does. */
  outputThinking?: number;
  cacheRead?: number;
  /** Sound that comes from a cache. */
  cacheReadAudio?: number;
  /** Writing a prompt cache that lives about five minutes. */
  cacheWrite?: number;
  audioInput?: number;
  audioOutput?: number;
  imageInput?: number;
  /** What is drawn by a model that also writes; of others it is what output costs. */
  imageOutput?: number;
  videoInput?: number;
  /** By the length of the prompt, as ModelTieredPrice tells them; the first costs what stands above. */
  tiers?: TierPrice[];
}

export interface PriceFile {
  /** The day of the list, YYYY-MM-DD. */
  as_of: string;
  source: string;
  /** By model. */
  tokens: Record<string, ListPrice>;
  /** US dollars a call, by model. */
  calls: Record<string, number>;
}

const { as_of: asOf, tokens, calls }: PriceFile = file;

export const PRICES_AS_OF = asOf;

/** The factors that the price formula takes; what a model has no special price for is absent. */
export interface DefaultRatios {
  model: number;
  completion: number;
  /** Output of a call that thinks over input. */
  thinkingCompletion?: number;
  cacheRead?: number;
  /** Sound from a cache over what it would be if the cache were as much cheaper for it as for text; 1 where it is absent. */
  cacheReadAudio?: number;
  cacheWrite?: number;
  /** Audio input over text input. */
  audio?: number;
  /** Audio output over audio input. */
  audioCompletion?: number;
  /** Image input over text input. */
  image?: number;
  /** Image output over text input. */
  imageCompletion?: number;
  /** Video input over text input. */
  video?: number;
}

/** To twelve places, the exactness of every ratio: 2.5 / 0.3 has no end. What is free has no ratios. */
const over = (price: number, base: number): number => (base === 0 ? 1 : Number((price / base).toFixed(12)));

const ratiosOf = (price: ListPrice): DefaultRatios => {
  const { input, output, outputThinking, cacheRead, cacheWrite, audioInput, audioOutput } = price;
  const { cacheReadAudio, imageInput, imageOutput, videoInput } = price;
  return {
    model: over(input, USD_PER_RATIO),
    completion: over(output, input),
    ...(outputThinking !== undefined && { thinkingCompletion: over(outputThinking, input) }),
    ...(cacheRead !== undefined && { cacheRead: over(cacheRead, input) }),
    ...(cacheReadAudio !== undefined &&
      audioInput !== undefined && {
        cacheReadAudio: over(cacheReadAudio * input, audioInput * (cacheRead ?? input)),
      }),
    ...(cacheWrite !== undefined && { cacheWrite: over(cacheWrite, input) }),
    ...(audioInput !== undefined && { audio: over(audioInput, input) }),
    ...(audioInput !== undefined &&
      audioOutput !== undefined && { audioCompletion: over(audioOutput, audioInput) }),
    ...(imageInput !== undefined && { image: over(imageInput, input) }),
    ...(imageOutput !== undefined && { imageCompletion: over(imageOutput, input) }),
    ...(videoInput !== undefined && { video: over(videoInput, input) }),
  };
};

const table = new Map(Object.entries(tokens).map(([model, price]) => [model, ratiosOf(price)]));
const tierTable = new Map(
  Object.entries(tokens).flatMap(([model, { tiers }]) => (tiers ? [[model, tiers] as const] : [])),
);
const callTable = new Map(Object.entries(calls));

/** The default factors of a model, or null when the table does not know it. Names are looked up as they stand. */
export const defaultPriceOf = (model: string): DefaultRatios | null => table.get(model) ?? null;

/** The tiers of a model whose vendor asks more for long prompts, or null. */
export const defaultTiersOf = (model: string): readonly TierPrice[] | null => tierTable.get(model) ?? null;

/** US dollars a call of a model that is priced by the call, or null. */
export const defaultCallPriceOf = (model: string): number | null => callTable.get(model) ?? null;

/** One factor of the whole table, as the option of that factor starts: model → ratio. */
export const defaultMap = (factor: keyof DefaultRatios): Record<string, number> =>
  Object.fromEntries(
    [...table].flatMap(([model, ratios]) => {
      const ratio = ratios[factor];
      return ratio === undefined ? [] : [[model, ratio]];
    }),
  );

export const defaultCallMap = (): Record<string, number> => Object.fromEntries(callTable);
