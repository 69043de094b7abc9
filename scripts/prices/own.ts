/**
 * What the open list does not know or has wrong, by the vendors' public price pages of August 2026, of October where a
 * model is younger, and of November where a page is named. A vendor's price in yuan counts 7.3 to the dollar.
 */
import type { ListPrice } from '../../src/options/default-ratios.ts';
import type { TierPrice } from '../../src/options/tiered-price.ts';

const CNY_A_USD = 7.3;

const even = (input: number): ListPrice => ({ input, output: input });

const FREE = even(0);

/** Yuan per million tokens: input, output, and input from the cache where that has a price. */
type Yuan = readonly [input: number, output: number, cacheRead?: number];

const inYuan = ([input, output, cacheRead]: Yuan): ListPrice => ({
  input: usd(input),
  output: usd(output),
  ...(cacheRead !== undefined && { cacheRead: usd(cacheRead) }),
});

const usd = (yuan: number): number => Number((yuan / CNY_A_USD).toPrecision(6));

const inYuanEach = (prices: Record<string, Yuan>): Record<string, ListPrice> =>
  Object.fromEntries(Object.entries(prices).map(([model, price]) => [model, inYuan(price)]));

/** Names that have one price, as they are of one model. */
const eachAt = <P extends Partial<ListPrice>>(price: P, names: readonly string[]): Record<string, P> =>
  Object.fromEntries(names.map((name) => [name, price]));

/** Models of which nothing else is known than that their vendors have one price, in yuan per million tokens. */
const evenYuanEach = (prices: Record<string, number>): Record<string, ListPrice> =>
  Object.fromEntries(Object.entries(prices).map(([model, price]) => [model, even(usd(price))]));

/** The longest prompt that it is for, what input and output cost, and input from and to the cache where that has a price. */
type Tier = readonly [
  upTo: number | null,
  input: number,
  output: number,
  cacheRead?: number,
  cacheWrite?: number,
];

/**
 * Alibaba keeps what a request marks for five minutes, at a quarter more than input, and what it sees fit unasked. What it
 * reads costs a fifth of input, a tenth where it was marked (alibabacloud.com/help/en/model-studio/context-cache): the
 * usage does not always tell which, so that it is the dearer.
 */
const keeping = ({ tiers, ...price }: ListPrice): ListPrice => ({
  ...price,
  cacheRead: price.cacheRead ?? partOf(price, 0.2),
  cacheWrite: partOf(price, 1.25),
  ...(tiers && {
    tiers: tiers.map((tier) => ({
      ...tier,
      cache_read: tier.cache_read ?? partOf(tier, 0.2),
      cache_write: partOf(tier, 1.25),
    })),
  }),
});

/** Alibaba charges all output of a call that thinks by a price of its own: here that of each tier, or the only one. */
const thinking = ({ input, output, tiers, ...rest }: ListPrice, ...thought: number[]): ListPrice => ({
  input,
  output,
  outputThinking: thought[0],
  ...rest,
  ...(tiers && {
    tiers: tiers.map(({ up_to, input, output, ...caches }, i) => ({
      up_to,
      input,
      output,
      output_thinking: thought[i],
      ...caches,
    })),
  }),
});

const partOf = ({ input }: { input: number }, part: number): number => Number((part * input).toFixed(6));

/** By the length of the prompt. A thousand tokens are 1,000 where a vendor writes K. */
function byLength(first: Tier, ...rest: Tier[]): ListPrice {
  const tiers = [first, ...rest].map(
    ([up_to, input, output, cache_read, cache_write]): TierPrice => ({
      up_to,
      input,
      output,
      cache_read,
      cache_write,
    }),
  );
  const [, input, output, cacheRead, cacheWrite] = first;
  return { input, output, cacheRead, cacheWrite, tiers };
}

/**
 * Of OpenAI's since GPT-5.6 writing to the cache costs a quarter more than input. Beyond 272,000 tokens all that goes in
 * costs twice as much, and what comes out half as much again.
 */
function gpt(input: number, output: number, cacheRead: number): ListPrice {
  const writing = partOf({ input }, 1.25);
  return byLength(
    [272_000, input, output, cacheRead, writing],
    [null, 2 * input, 1.5 * output, 2 * cacheRead, 2 * writing],
  );
}

/** A picture to draw from is $8, and one that it has kept would be $2: both kinds that are kept are charged as words. */
const GPT_IMAGE: ListPrice = { input: 5, output: 30, cacheRead: 1.25, imageInput: 8 };

const GROK = byLength([199_999, 2, 6, 0.5], [null, 4, 12, 1]);

const GROK_4_3 = byLength([199_999, 1.25, 2.5, 0.2], [null, 2.5, 5, 0.4]);

const MISTRAL_LARGE: ListPrice = { input: 1.36, output: 4.18, cacheRead: 0.136 };

/** Medium 3.5 and Small 4 (docs.mistral.ai, its cards of the models). */
const MISTRAL_MEDIUM: ListPrice = { input: 1.5, output: 7.5, cacheRead: 0.15 };
const MISTRAL_SMALL: ListPrice = { input: 0.15, output: 0.6, cacheRead: 0.015 };

const DEEPSEEK_FLASH: ListPrice = { input: 0.3, output: 1.2, cacheRead: 0.006 };

/** US dollars per million tokens: models of which the list says nothing. */
export const OWN_TOKENS: Record<string, ListPrice> = {
  // OpenAI. Speech is priced by the character.
  'tts-1': { input: 15, output: 0 },
  'tts-1-hd': { input: 30, output: 0 },
  'omni-moderation-latest': FREE,
  'text-moderation-latest': FREE,
  'davinci-002': even(2),
  'babbage-002': even(0.4),
  // developers.openai.com/api/docs/models/gpt-6.2-sol and its neighbours, in November; of gpt-6.2-astra, whose page is not
  // at hand, as docs.litellm.ai, vercel.com/ai-gateway and docs.laozhang.ai have it.
  'gpt-6.1-sol': gpt(2, 10, 0.1),
  'gpt-6.1-terra': gpt(1, 5, 0.05),
  'gpt-6.2-sol': gpt(2, 10, 0.1),
  'gpt-6.2-astra': gpt(8, 40, 0.4),
  // A minute that is heard counts 1,000: $0.017 (developers.openai.com/api/docs/models/gpt-live-transcribe).
  'gpt-live-transcribe': { input: 17, output: 0 },
  'gpt-realtime-whisper': { input: 17, output: 0 },
  // developers.openai.com/api/docs/models/gpt-image-2.6-sunburst and its neighbours, in November.
  'gpt-image-2.5-flare': GPT_IMAGE,
  'gpt-image-2.5-flare-2026-09-08': GPT_IMAGE,
  'gpt-image-2.5-sunburst': GPT_IMAGE,
  'gpt-image-2.5-sunburst-2026-09-08': GPT_IMAGE,
  'gpt-image-2.6-flare': GPT_IMAGE,
  'gpt-image-2.6-sunburst': GPT_IMAGE,
  // Anthropic (platform.claude.com/docs/en/about-claude/pricing, in November). What Sonnet 5.5 reads from a cache costs
  // half as much since 7 October.
  'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  'claude-haiku-5-5': byLength([100_000, 0.1, 0.5, 0.01, 0.125], [null, 0.5, 2.5, 0.05, 0.625]),
  'claude-mythos-5': { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
  'claude-mythos-5-1': { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  'claude-instant-1.2': { input: 0.8, output: 2.4 },
  // Google. Argon at the price from 1 December on: until then it is half of it (ai.google.dev/gemini-api/docs/latest-model).
  'gemini-4-argon': { input: 4, output: 20, cacheRead: 0.2 },
  'gemini-1.5-flash-8b': byLength([128_000, 0.0375, 0.15, 0.01], [null, 0.075, 0.3, 0.02]),
  // By Vertex, which alone still has it: $0.000025 a thousand characters.
  'text-embedding-004': even(0.1),
  'PaLM-2': even(2),
  // xAI (docs.x.ai/developers/grok-4-7, in October).
  'grok-4.7': GROK,
  // Mistral. Large 4 at its list price: it was sold for half of it in October, and in November resellers had $0.70 and $2.10.
  'mistral-large-4': MISTRAL_LARGE,
  'mistral-large-4-0': MISTRAL_LARGE,
  'ministral-3b-latest': { input: 0.1, output: 0.1, cacheRead: 0.01 },
  'devstral-medium-latest': { input: 0.4, output: 2, cacheRead: 0.04 },
  'magistral-small-latest': MISTRAL_SMALL,
  // Cohere.
  'embed-english-v3.0': even(0.1),
  'embed-multilingual-v3.0': even(0.1),
  // DeepSeek, of its peak hours (api-docs.deepseek.com/quick_start/pricing).
  'deepseek-flash': DEEPSEEK_FLASH,
  'deepseek-v4-flash-vision-exp': DEEPSEEK_FLASH,
  // Alibaba, international prices (alibabacloud.com/help/en/model-studio/models).
  'qwen3-max': keeping(byLength([32_000, 1.2, 6, 0.24], [128_000, 2.4, 12, 0.48], [null, 3, 15, 0.6])),
  'qwen-max': { input: 1.6, output: 6.4, cacheRead: 0.32 },
  // What they cost as they think is as LiteLLM and models.dev have it. Of qwen3-32b a later copy of the latter has one price for
  // both, $0.64 beside $0.16 of input; in Beijing its thoughts are still dearer, so that it stays as it was before.
  'qwen-plus': keeping(thinking(byLength([256_000, 0.4, 1.2], [null, 1.2, 3.6]), 4, 12)),
  'qwen-flash': keeping(byLength([256_000, 0.05, 0.4, 0.01], [null, 0.25, 2, 0.05])),
  'qwen-turbo': thinking({ input: 0.05, output: 0.2, cacheRead: 0.01 }, 0.5),
  'qwen-long': { input: 0.072, output: 0.287 },
  'qwen3.5-plus': keeping(byLength([256_000, 0.4, 2.4], [null, 0.5, 3])),
  // As vercel.com/ai-gateway and docs.apiyi.com have it of Alibaba's own, in November.
  'qwen3.8-max': keeping({ input: 2, output: 6 }),
  'qwen3.8-flash': keeping({ input: 0.15, output: 0.47 }),
  'qwen3-coder-plus': keeping(byLength([32_000, 1, 5], [128_000, 1.8, 9], [256_000, 3, 15], [null, 6, 60])),
  'qwen3-coder-flash': keeping(
    byLength([32_000, 0.3, 1.5], [128_000, 0.5, 2.5], [256_000, 0.8, 4], [null, 1.6, 9.6]),
  ),
  'qwen3-235b-a22b': thinking({ input: 0.7, output: 2.8 }, 8.4),
  'qwen3-32b': thinking({ input: 0.7, output: 2.8 }, 8.4),
  'qwen-vl-max': { input: 0.8, output: 3.2 },
  'qwen-vl-plus': { input: 0.21, output: 0.63 },
  'qwen3-vl-plus': keeping(byLength([32_000, 0.2, 1.6], [128_000, 0.3, 2.4], [null, 0.6, 4.8])),
  'qwq-plus': { input: 0.8, output: 2.4 },
  'qvq-max': { input: 1.2, output: 4.8 },
  'text-embedding-v3': even(0.07),
  'text-embedding-v4': even(0.07),
  // Moonshot. What is kept for five minutes costs as much as input, for an hour twice as much.
  'kimi-k3.1-pro': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2 },
  'kimi-k3.1-pro-highspeed': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 4 },
  // Zhipu, international prices.
  'glm-5v-turbo': { input: 1.2, output: 4, cacheRead: 0.24 },
  'glm-5-turbo': { input: 1.2, output: 4, cacheRead: 0.24 },
  'glm-5.1': { input: 1.4, output: 4.4, cacheRead: 0.26 },
  'glm-5': { input: 1, output: 3.2, cacheRead: 0.2 },
  'glm-4.7': { input: 0.6, output: 2.2, cacheRead: 0.11 },
  'glm-4.6': { input: 0.6, output: 2.2, cacheRead: 0.11 },
  'glm-4.5': { input: 0.6, output: 2.2, cacheRead: 0.11 },
  'glm-4.5-x': { input: 2.2, output: 8.9, cacheRead: 0.45 },
  'glm-4.5-air': { input: 0.2, output: 1.1, cacheRead: 0.03 },
  'glm-4.5v': { input: 0.6, output: 1.8, cacheRead: 0.11 },
  'glm-4.5-flash': FREE,
  'glm-4-plus': { input: 0.69, output: 0.69, cacheRead: 0.345 },
  'glm-4-air': { input: 0.069, output: 0.069, cacheRead: 0.034 },
  'glm-4-airx': even(1.379),
  'glm-4-long': { input: 0.138, output: 0.138, cacheRead: 0.069 },
  'glm-4-flash': FREE,
  // MiniMax. M3 by its own spelling of it, and M3.1 Flash as vercel.com/ai-gateway and Model Studio have it, in November.
  'MiniMax-M3': byLength([512_000, 0.3, 1.2, 0.06], [null, 0.6, 2.4, 0.12]),
  'MiniMax-M3.1-Flash': { input: 0.15, output: 0.6, cacheRead: 0.015 },
  'MiniMax-M1': { input: 0.4, output: 2.2 },
  'MiniMax-Text-01': { input: 0.2, output: 1.1 },
  'abab6.5s-chat': even(0.14),
  // Volcano Ark, BytePlus prices (docs.byteplus.com/docs/ModelArk/1544106). What is read from a cache costs the same
  // however long the prompt is.
  // Of 2.1 Pro in yuan (volcengine.com/article/2605349), of Turbo as opencode.ai and docs.apiyi.com have BytePlus's.
  ...inYuanEach({ 'doubao-seed-2-1-pro': [6, 30] }),
  'doubao-seed-2-1-turbo': { input: 0.5, output: 2.5, cacheRead: 0.1 },
  'doubao-seed-2-0-pro': byLength([128_000, 0.5, 3, 0.1], [null, 1, 6, 0.1]),
  'doubao-seed-2-0-lite': byLength([128_000, 0.25, 2, 0.05], [null, 0.5, 4, 0.05]),
  'doubao-seed-2-0-mini': byLength([128_000, 0.1, 0.4, 0.02], [null, 0.2, 0.8, 0.02]),
  'doubao-seed-1-8': byLength([128_000, 0.25, 2, 0.05], [null, 0.5, 4, 0.05]),
  'doubao-seed-1-6': byLength([128_000, 0.25, 2, 0.05], [null, 0.5, 4, 0.05]),
  // Jina.
  'jina-embeddings-v3': even(0.02),
  'jina-embeddings-v4': even(0.02),
  'jina-reranker-v2-base-multilingual': even(0.05),
  'jina-reranker-v3': even(0.05),
  // Cloudflare Workers AI.
  '@cf/meta/llama-3.3-70b-instruct-fp8-fast': { input: 0.293, output: 2.253 },
  '@cf/meta/llama-4-scout-17b-16e-instruct': { input: 0.27, output: 0.85 },
  '@cf/meta/llama-3.1-8b-instruct': { input: 0.282, output: 0.827 },
  '@cf/openai/gpt-oss-120b': { input: 0.35, output: 0.75 },
  '@cf/openai/gpt-oss-20b': { input: 0.2, output: 0.3 },
  '@cf/qwen/qwq-32b': { input: 0.66, output: 1 },
  // Baidu (cloud.baidu.com/doc/WENXINWORKSHOP/s/hlrk4akp7 and doc/qianfan/s/rmh4stp0j; ERNIE-Bot-8K by the older
  // doc/WENXINWORKSHOP/s/hlqnms5rn). Speed, Lite and Tiny are free.
  ...inYuanEach({
    'ERNIE-4.0-8K': [30, 90],
    'ERNIE-3.5-8K': [0.8, 2],
    'ERNIE-3.5-8K-0205': [0.8, 2],
    'ERNIE-3.5-4K-0205': [0.8, 2],
    'ERNIE-Bot-8K': [24, 48],
    'ernie-4.5-turbo-128k': [0.8, 3.2, 0.2],
    'ernie-x1-turbo-32k': [1, 4],
  }),
  'ERNIE-Speed-8K': FREE,
  'ERNIE-Speed-128K': FREE,
  'ERNIE-Lite-8K-0308': FREE,
  'ERNIE-Lite-8K-0922': FREE,
  'ERNIE-Tiny-8K': FREE,
  ...evenYuanEach({
    'BLOOMZ-7B': 4,
    'Embedding-V1': 2,
    'bge-large-zh': 2,
    'bge-large-en': 2,
    'tao-8k': 2,
  }),
  // Zhipu's older models (open.bigmodel.cn/pricing).
  ...evenYuanEach({
    chatglm_turbo: 5,
    chatglm_pro: 10,
    chatglm_std: 5,
    chatglm_lite: 2,
    'glm-4': 100,
    'glm-4-0520': 100,
    'glm-4-alltools': 100,
    'glm-4v': 50,
    'glm-4v-plus': 10,
    'glm-3-turbo': 1,
  }),
  // Xunfei sells tokens by the package. Lite, which is version 1.1, is free (xfyun.cn/doc/spark).
  'SparkDesk-v1.1': FREE,
  ...evenYuanEach({
    SparkDesk: 18,
    'SparkDesk-v2.1': 18,
    'SparkDesk-v3.1': 18,
    'SparkDesk-v3.5': 18,
    'SparkDesk-v4.0': 18,
  }),
  // 360 (ai.360.cn/platform/docs/overview).
  ...inYuanEach({
    '360gpt-turbo': [1, 2],
    '360gpt-pro': [2, 5],
    '360gpt2-pro': [2, 5],
  }),
  ...evenYuanEach({
    '360gpt-turbo-responsibility-8k': 12,
    '360GPT_S2_V9': 12,
    'embedding-bert-512-v1': 1,
    semantic_similarity_s1_v1: 1,
    embedding_s1_v1: 1,
  }),
  // Tencent (cloud.tencent.com/document/product/1729/97731).
  ...inYuanEach({
    'hunyuan-pro': [30, 100],
    'hunyuan-standard': [0.8, 2],
  }),
  'hunyuan-lite': FREE,
  // Lingyi.
  ...evenYuanEach({
    'yi-large': 20,
    'yi-medium': 2.5,
    'yi-vision': 6,
    'yi-medium-200k': 12,
    'yi-spark': 1,
    'yi-large-rag': 25,
    'yi-large-turbo': 12,
    'yi-lightning': 0.99,
  }),
  // Volcano's older models (volcengine.com/docs/82379/1099320).
  ...inYuanEach({
    'Doubao-pro-4k': [0.8, 2],
    'Doubao-pro-32k': [0.8, 2],
    'Doubao-pro-128k': [5, 9],
    'Doubao-lite-4k': [0.3, 0.6],
    'Doubao-lite-32k': [0.3, 0.6],
    'Doubao-lite-128k': [0.8, 1],
    'doubao-1-5-pro-32k': [0.8, 2],
    'doubao-1-5-lite-32k': [0.3, 0.6],
  }),
  // Vectors: Volcano's, Alibaba's first and M3E's.
  ...evenYuanEach({
    'Doubao-embedding': 0.5,
    'text-embedding-v1': 0.7,
    'm3e-base': 0.5,
    'm3e-large': 0.5,
    'm3e-small': 0.5,
  }),
};

const GPT_4O_AUDIO = { audioInput: 40, audioOutput: 80 };
const GPT_4O_MINI_AUDIO = { audioInput: 10, audioOutput: 20 };

/** What the list has wrong or leaves out of a model that it knows. */
export const CORRECTIONS: Record<string, Partial<ListPrice>> = {
  // The list still prices this name as the model that it once meant.
  'mistral-large-latest': { input: 0.5, output: 1.5, cacheRead: 0.05 },
  // The list has the price of 4.5 for it, and what those after it read from a cache is dearer.
  'grok-latest': GROK,
  // These are gone since May, and who asks for them is answered by 4.3 and billed for it
  // (docs.x.ai/developers/migration/may-15-retirement). Grok 3 and 4 have become cheaper there alone: Azure has them at their old
  // price.
  ...eachAt(GROK_4_3, [
    ...['grok-4-fast', 'grok-4-fast-reasoning', 'grok-4-fast-reasoning-latest'],
    ...['grok-4-fast-non-reasoning', 'grok-4-fast-non-reasoning-latest'],
    ...['grok-4-1-fast', 'grok-4-1-fast-reasoning', 'grok-4-1-fast-reasoning-latest'],
    ...['grok-4-1-fast-non-reasoning', 'grok-4-1-fast-non-reasoning-latest'],
    ...['grok-code-fast', 'grok-code-fast-1', 'grok-code-fast-1-0825'],
  ]),
  // As all of 4.20.
  'grok-4.20-multi-agent': GROK_4_3,
  // The name is answered by the newer model, at its price.
  'deepseek-v4-flash': DEEPSEEK_FLASH,
  // Of these it has what a reseller asks: their makers' own (api-docs.deepseek.com, December 2025; platform.moonshot.ai, as
  // kimi-k2-0711-preview).
  'deepseek-v3.2': { input: 0.28, output: 0.42, cacheRead: 0.028 },
  'deepseek-v3.2-exp': { input: 0.28, output: 0.42, cacheRead: 0.028 },
  'kimi-k2': { input: 0.6, output: 2.5, cacheRead: 0.15 },
  // Weights that anybody serves, of which it has the cheapest host: these are what the dearest of the usual ones ask, of the
  // larger Cerebras, of the smaller Groq. A table that does not know the host must not sell below cost.
  'gpt-oss-120b': { input: 0.35, output: 0.75 },
  'gpt-oss-20b': { input: 0.075, output: 0.3 },
  // Mistral's names have moved on to these, and Magistral, which is gone since July, is replaced by them.
  'mistral-small-latest': MISTRAL_SMALL,
  ...eachAt(MISTRAL_MEDIUM, ['mistral-medium', 'magistral-medium', 'magistral-medium-latest']),
  // Of this it has what a reseller asked.
  'mistral-small-3.2-24b-instruct': { input: 0.1, output: 0.3 },
  // It was introduced at half of this (docs.z.ai/guides/overview/pricing).
  ...eachAt({ input: 0.15, output: 0.5, cacheRead: 0.03 }, ['glm-5.3-flash', 'GLM-5.3-Flash']),
  // OpenRouter passes on what Google and Z.ai ask by now. What is written to a cache is read for it, and kept at $0.375.
  'google/gemini-2.5-pro': byLength([200_000, 1.25, 10, 0.125, 1.625], [null, 2.5, 15, 0.25, 2.875]),
  'z-ai/glm-4.6': { input: 0.6, output: 2.2, cacheRead: 0.11 },
  // Of these it leaves out what is read from a cache: a tenth of input (docs.mistral.ai, prompt caching).
  'codestral-latest': { cacheRead: 0.03 },
  'devstral-small-latest': { cacheRead: 0.01 },
  // Of these it leaves out that a minute of sound costs $0.004, which chats tell as 12.5 tokens a second, of each half minute
  // that was begun (docs.mistral.ai, the card of the model and "Audio & Transcription").
  ...eachAt({ audioInput: 5.33333 }, [
    'voxtral-small-latest',
    'voxtral-small-2507',
    'voxtral-small-24b-2507',
  ]),
  // Of this it leaves out that writing to the cache is charged.
  'kimi-k3': { cacheWrite: 3 },
  // Of this it leaves out the price of films.
  'gemini-embedding-2': { videoInput: 12 },
  // What they once cost beyond 200,000 tokens: they take no such prompts any more.
  'claude-sonnet-4-5': { tiers: undefined },
  'claude-sonnet-4-5-20250929': { tiers: undefined },
  // OpenRouter's, of which it leaves out what their pictures cost (openrouter.ai, the pages of the models).
  'gpt-5-image': { imageOutput: 40 },
  'gpt-5-image-mini': { imageOutput: 8 },
  'gpt-5.4-image-2': { imageOutput: 30 },
  // Of these it has the prices of the text only.
  'gpt-4o-audio-preview': GPT_4O_AUDIO,
  'gpt-4o-audio-preview-2024-12-17': GPT_4O_AUDIO,
  'gpt-4o-audio-preview-2025-06-03': GPT_4O_AUDIO,
  'gpt-4o-mini-audio-preview': GPT_4O_MINI_AUDIO,
  'gpt-4o-mini-audio-preview-2024-12-17': GPT_4O_MINI_AUDIO,
};

/** US dollars a call. */
export const OWN_CALLS: Record<string, number> = {
  'dall-e-2': 0.02,
  'dall-e-3': 0.04,
  'imagen-3.0-generate-002': 0.03,
  'imagen-4.0-fast-generate-001': 0.02,
  'imagen-4.0-generate-001': 0.04,
  'imagen-4.0-ultra-generate-001': 0.06,
  'rerank-v3.5': 0.002,
  'rerank-english-v3.0': 0.002,
  'rerank-multilingual-v3.0': 0.002,
  // Suno has no public API: what services that offer one ask for about.
  suno_music: 0.1,
  suno_lyrics: 0.01,
  // Nor has Midjourney: the same of services that draw. A button that opens a window is free; what is said in it is not.
  mj_imagine: 0.1,
  mj_variation: 0.1,
  mj_reroll: 0.1,
  mj_blend: 0.1,
  mj_modal: 0.1,
  mj_zoom: 0.1,
  mj_shorten: 0.1,
  mj_high_variation: 0.1,
  mj_low_variation: 0.1,
  mj_pan: 0.1,
  mj_edits: 0.1,
  // Four films at once.
  mj_video: 0.8,
  mj_inpaint: 0,
  mj_custom_zoom: 0,
  mj_describe: 0.05,
  mj_upscale: 0.05,
  mj_uploads: 0.05,
  swap_face: 0.05,
};
