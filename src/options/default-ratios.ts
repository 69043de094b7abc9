/**
 * What well-known models cost, for the fifty most in use: list prices of the providers (standard tier, shortest
 * context) as their public price pages had them in September 2026, most of them checked against version 0.1.8 of the
 * open list `@pydantic/genai-prices` (2026-09-23). The options ModelRatio, CompletionRatio and CacheRatio start with
 * these; what an operator's own table does not name is priced from here and shown as "default".
 */

/** US dollars per million tokens. A price that is absent is no special price. */
interface ListPrice {
  input: number;
  output: number;
  cacheRead?: number;
  /** Writing a prompt cache that lives about five minutes. */
  cacheWrite?: number;
  audioInput?: number;
  audioOutput?: number;
  imageInput?: number;
}

export const PRICES_AS_OF = '2026-09';

const LIST_PRICES: Record<string, ListPrice> = {
  // OpenAI.
  'gpt-5.6-sol': { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 },
  'gpt-5.6-terra': { input: 2, output: 12, cacheRead: 0.2, cacheWrite: 2.5 },
  'gpt-5.6-luna': { input: 0.2, output: 1.2, cacheRead: 0.02, cacheWrite: 0.25 },
  'gpt-5.5': { input: 5, output: 30, cacheRead: 0.5 },
  'gpt-5.4': { input: 2.5, output: 15, cacheRead: 0.25 },
  'gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075 },
  'gpt-5.4-nano': { input: 0.2, output: 1.25, cacheRead: 0.02 },
  'gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175 },
  'gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  'gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
  'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  'gpt-4-turbo': { input: 10, output: 30 },
  'gpt-3.5-turbo': { input: 0.5, output: 1.5 },
  o3: { input: 2, output: 8, cacheRead: 0.5 },
  'o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },
  'gpt-realtime': { input: 4, output: 16, cacheRead: 0.4, audioInput: 32, audioOutput: 64 },
  'gpt-image-1': { input: 5, output: 40, cacheRead: 1.25, imageInput: 10 },
  'text-embedding-3-small': { input: 0.02, output: 0.02 },
  'text-embedding-3-large': { input: 0.13, output: 0.13 },
  // Anthropic.
  'claude-opus-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  'claude-opus-4-8': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-sonnet-4-6': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'claude-sonnet-4-5-20250929': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'claude-haiku-4-5-20251001': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  // Google.
  'gemini-3.1-pro-preview': { input: 2, output: 12, cacheRead: 0.2 },
  // Half of this until the end of 2026.
  'gemini-3.6-flash': { input: 1.5, output: 7.5, cacheRead: 0.15 },
  'gemini-3.1-flash-lite': { input: 0.25, output: 1.5, cacheRead: 0.025 },
  'gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03, audioInput: 1 },
  'gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01 },
  'gemini-embedding-001': { input: 0.15, output: 0.15 },
  // DeepSeek, xAI, Mistral.
  'deepseek-chat': { input: 0.27, output: 1.1, cacheRead: 0.07 },
  'deepseek-reasoner': { input: 0.55, output: 2.19, cacheRead: 0.14 },
  // Of peak hours; half of this at others.
  'deepseek-v4-pro': { input: 1.32, output: 3.96, cacheRead: 0.044 },
  'grok-4.5': { input: 2, output: 6, cacheRead: 0.3 },
  'mistral-large-latest': { input: 0.5, output: 1.5, cacheRead: 0.05 },
  // Alibaba, Moonshot, Zhipu, MiniMax, Volcano Ark.
  'qwen3-max': { input: 1.2, output: 6, cacheRead: 0.24 },
  'qwen-plus': { input: 0.4, output: 1.2 },
  'kimi-k3': { input: 3, output: 15, cacheRead: 0.3 },
  'kimi-k2.6': { input: 0.95, output: 4, cacheRead: 0.16 },
  'glm-5.2': { input: 1.4, output: 4.4, cacheRead: 0.26 },
  'MiniMax-M2.7': { input: 0.3, output: 1.2, cacheRead: 0.06, cacheWrite: 0.375 },
  'doubao-seed-2-0-pro': { input: 0.5, output: 3, cacheRead: 0.1 },
};

/** The factors that the price formula takes; what a model has no special price for is absent. */
export interface DefaultRatios {
  model: number;
  completion: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Audio input over text input. */
  audio?: number;
  /** Audio output over audio input. */
  audioCompletion?: number;
  /** Image input over text input. */
  image?: number;
}

/** A ratio of 1 is this price of a million tokens. */
const USD_PER_MILLION = 2;

/** To twelve places, the exactness of every ratio: 2.5 / 0.3 has no end. */
const over = (price: number, base: number): number => Number((price / base).toFixed(12));

const ratiosOf = (price: ListPrice): DefaultRatios => {
  const { input, output, cacheRead, cacheWrite, audioInput, audioOutput, imageInput } = price;
  return {
    model: over(input, USD_PER_MILLION),
    completion: over(output, input),
    ...(cacheRead !== undefined && { cacheRead: over(cacheRead, input) }),
    ...(cacheWrite !== undefined && { cacheWrite: over(cacheWrite, input) }),
    ...(audioInput !== undefined && { audio: over(audioInput, input) }),
    ...(audioInput !== undefined &&
      audioOutput !== undefined && { audioCompletion: over(audioOutput, audioInput) }),
    ...(imageInput !== undefined && { image: over(imageInput, input) }),
  };
};

const table = new Map(Object.entries(LIST_PRICES).map(([model, price]) => [model, ratiosOf(price)]));

/** The default factors of a model, or null when the table does not know it. Names are looked up as they stand. */
export const defaultPriceOf = (model: string): DefaultRatios | null => table.get(model) ?? null;

/** One factor of the whole table, as the option of that factor starts: model → ratio. */
export const defaultMap = (factor: keyof DefaultRatios): Record<string, number> =>
  Object.fromEntries(
    [...table].flatMap(([model, ratios]) => {
      const ratio = ratios[factor];
      return ratio === undefined ? [] : [[model, ratio]];
    }),
  );
