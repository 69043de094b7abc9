import { expect, test } from 'bun:test';
import { readable } from '../../scripts/prices/caches.ts';
import { installedVersion, makePriceFile, textOf } from '../../scripts/prices/list.ts';
import type { PriceFile } from '../../src/options/default-ratios.ts';
import { tieredPrice } from '../../src/options/tiered-price.ts';

const path = new URL('../../src/options/default-prices.json', import.meta.url);
const file: PriceFile = await Bun.file(path).json();

test('the file of prices is what the script makes of the installed list', async () => {
  const made = makePriceFile(await installedVersion(), file.as_of);
  expect(JSON.parse(textOf(made))).toEqual(file);
});

test('the file tells its day and its source', async () => {
  expect(file.as_of).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(file.source).toContain(await installedVersion());
});

/** Buttons of drawings that cost nothing: what is then said in their window does. */
const OPENS_WINDOW = ['mj_custom_zoom', 'mj_inpaint'];

test('every price lies within what models can cost', () => {
  for (const [model, { tiers, ...price }] of Object.entries(file.tokens)) {
    const { input, output, outputThinking, cacheRead, cacheWrite, audioInput, audioOutput } = price;
    const { cacheReadAudio, imageInput, imageOutput, videoInput } = price;
    if (tiers) {
      expect(tieredPrice.parse(tiers), model).toEqual({ by: 'input', tiers });
      const [first] = tiers;
      const above = { input, output, output_thinking: outputThinking };
      const caches = { cache_read: cacheRead, cache_write: cacheWrite };
      expect(first, model).toEqual({ up_to: first?.up_to ?? null, ...above, ...caches });
      // Long prompts are nowhere cheaper.
      for (const [i, tier] of tiers.entries())
        expect(tier.input).toBeGreaterThanOrEqual(tiers[i - 1]?.input ?? 0);
    }
    for (const usd of Object.values(price)) {
      expect(usd, model).toBeGreaterThanOrEqual(0);
      expect(usd, model).toBeLessThanOrEqual(1000);
    }
    expect(output, model).toBeLessThanOrEqual(input * 150);
    if (cacheRead !== undefined) expect(cacheRead, model).toBeLessThanOrEqual(input);
    if (cacheWrite !== undefined) expect(cacheWrite, model).toBeLessThanOrEqual(input * 2);
    if (outputThinking !== undefined) expect(outputThinking, model).toBeGreaterThan(output);
    if (audioInput !== undefined) expect(audioInput, model).toBeGreaterThan(input);
    if (cacheReadAudio !== undefined) {
      expect(cacheReadAudio, model).toBeGreaterThanOrEqual(cacheRead ?? input);
      expect(cacheReadAudio, model).toBeLessThan(audioInput ?? 0);
    }
    if (audioOutput !== undefined) expect(audioOutput, model).toBeGreaterThan(output);
    if (imageInput !== undefined) expect(imageInput, model).toBeGreaterThanOrEqual(input);
    if (imageOutput !== undefined) expect(imageOutput, model).toBeGreaterThan(output);
    if (videoInput !== undefined) expect(videoInput, model).toBeGreaterThanOrEqual(input);
  }
  for (const [model, usd] of Object.entries(file.calls)) {
    if (OPENS_WINDOW.includes(model)) expect(usd, model).toBe(0);
    else expect(usd, model).toBeGreaterThan(0);
    expect(usd, model).toBeLessThan(10);
    expect(file.tokens[model], `${model} is priced twice`).toBeUndefined();
  }
});

/** US dollars per million tokens by the vendors' public price pages, read by hand. */
const BY_HAND: Record<string, [input: number, output: number, cacheRead?: number, cacheWrite?: number]> = {
  'gpt-4o': [2.5, 10, 1.25],
  'gpt-4o-mini': [0.15, 0.6, 0.075],
  'gpt-4.1': [2, 8, 0.5],
  'gpt-5': [1.25, 10, 0.125],
  'gpt-5-mini': [0.25, 2, 0.025],
  'gpt-5.4': [2.5, 15, 0.25],
  'gpt-6.1-sol': [2, 10, 0.1, 2.5],
  'gpt-6.1-terra': [1, 5, 0.05, 1.25],
  'gpt-6.2-sol': [2, 10, 0.1, 2.5],
  'gpt-6.2-astra': [8, 40, 0.4, 10],
  'gpt-live-transcribe': [17, 0],
  o3: [2, 8, 0.5],
  'o4-mini': [1.1, 4.4, 0.275],
  'text-embedding-3-small': [0.02, 0.02],
  // At Vertex, by the thousand characters: $0.000025.
  'text-embedding-004': [0.1, 0.1],
  'whisper-1': [6, 0],
  'claude-opus-5': [5, 25, 0.5, 6.25],
  'claude-sonnet-5-5': [2, 10, 0.1, 2.5],
  'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125],
  'claude-mythos-5': [10, 50, 1, 12.5],
  'claude-mythos-5-1': [10, 50, 0.25, 12.5],
  'claude-sonnet-4-5-20250929': [3, 15, 0.3, 3.75],
  'claude-haiku-4-5-20251001': [1, 5, 0.1, 1.25],
  'claude-3-haiku-20240307': [0.25, 1.25, 0.03, 0.3],
  'gemini-2.5-pro': [1.25, 10, 0.125],
  'gemini-2.5-flash': [0.3, 2.5, 0.03],
  'gemini-2.5-flash-image': [0.3, 2.5],
  'gemini-3.1-pro-preview': [2, 12, 0.2],
  // Of the time after their introduction.
  'gemini-3.8-flash': [1.5, 7.5, 0.15],
  'gemini-4-argon': [4, 20, 0.2],
  // Of its dearest hours.
  'deepseek-chat': [0.27, 1.1, 0.07],
  'deepseek-v4-pro': [1.32, 3.96, 0.044],
  'deepseek-flash': [0.3, 1.2, 0.006],
  'deepseek-v4-flash': [0.3, 1.2, 0.006],
  'deepseek-v4-flash-vision-exp': [0.3, 1.2, 0.006],
  'deepseek-v3.2': [0.28, 0.42, 0.028],
  // What answers to it at xAI is cheaper; Azure's is not.
  'grok-4': [3, 15, 0.75],
  'mistral-large-4': [1.36, 4.18, 0.136],
  'mistral-large-latest': [0.5, 1.5, 0.05],
  'codestral-latest': [0.3, 0.9, 0.03],
  'mistral-small-latest': [0.15, 0.6, 0.015],
  'mistral-small-3.2-24b-instruct': [0.1, 0.3],
  'mistral-medium': [1.5, 7.5, 0.15],
  'magistral-medium-latest': [1.5, 7.5, 0.15],
  'magistral-small-latest': [0.15, 0.6, 0.015],
  'voxtral-small-latest': [0.1, 0.4, 0.01],
  'voxtral-mini-latest': [3, 0],
  'command-a-03-2025': [2.5, 10],
  'qwen3-max': [1.2, 6, 0.24],
  'qwen-plus': [0.4, 1.2, 0.08, 0.5],
  'qwen3.8-max': [2, 6, 0.4, 2.5],
  'qwen3.8-flash': [0.15, 0.47, 0.03, 0.1875],
  'kimi-k2': [0.6, 2.5, 0.15],
  'kimi-k2.6': [0.95, 4, 0.16],
  'glm-5.2': [1.4, 4.4, 0.26],
  'glm-5.3-flash': [0.15, 0.5, 0.03],
  'GLM-5.3-Flash': [0.15, 0.5, 0.03],
  'z-ai/glm-4.6': [0.6, 2.2, 0.11],
  'google/gemini-2.5-pro': [1.25, 10, 0.125, 1.625],
  'jina-reranker-v2-base-multilingual': [0.05, 0.05],
  'MiniMax-M3.1-Flash': [0.15, 0.6, 0.015],
  'MiniMax-M2.7': [0.3, 1.2, 0.06, 0.375],
  'doubao-seed-2-0-pro': [0.5, 3, 0.1],
  'hunyuan-lite': [0, 0],
};

/** The same of those whose vendors ask more for long prompts: the longest that it is for, input, output, cacheRead. */
const TIERS_BY_HAND: Record<string, [number | null, number, number, number | undefined][] | undefined> = {
  'gemini-2.5-pro': [
    [200_000, 1.25, 10, 0.125],
    [null, 2.5, 15, 0.25],
  ],
  'google/gemini-2.5-pro': [
    [200_000, 1.25, 10, 0.125],
    [null, 2.5, 15, 0.25],
  ],
  'gemini-3.1-pro-preview': [
    [200_000, 2, 12, 0.2],
    [null, 4, 18, 0.4],
  ],
  'gpt-5.4': [
    [271_999, 2.5, 15, 0.25],
    [null, 5, 22.5, 0.5],
  ],
  'gpt-6.2-astra': [
    [272_000, 8, 40, 0.4],
    [null, 16, 60, 0.8],
  ],
  'claude-haiku-5-5': [
    [100_000, 0.1, 0.5, 0.01],
    [null, 0.5, 2.5, 0.05],
  ],
  'grok-4.7': [
    [199_999, 2, 6, 0.5],
    [null, 4, 12, 1],
  ],
  'MiniMax-M3': [
    [512_000, 0.3, 1.2, 0.06],
    [null, 0.6, 2.4, 0.12],
  ],
  'grok-4.5': [
    [199_999, 2, 6, 0.3],
    [null, 4, 12, 0.6],
  ],
  'grok-4-1-fast-reasoning': [
    [199_999, 1.25, 2.5, 0.2],
    [null, 2.5, 5, 0.4],
  ],
  'grok-4.20-multi-agent': [
    [199_999, 1.25, 2.5, 0.2],
    [null, 2.5, 5, 0.4],
  ],
  'qwen-plus': [
    [256_000, 0.4, 1.2, 0.08],
    [null, 1.2, 3.6, 0.24],
  ],
  'doubao-seed-1-8': [
    [128_000, 0.25, 2, 0.05],
    [null, 0.5, 4, 0.05],
  ],
  // Their windows of a million tokens cost the same all over.
  'claude-opus-4-6': undefined,
  'claude-sonnet-5': undefined,
  'claude-sonnet-5-5': undefined,
};

/** The same of a token that is drawn, where that is dearer than one that is written. */
const DRAWN_BY_HAND: Record<string, [output: number, imageOutput: number | undefined]> = {
  'gemini-2.5-flash-image': [2.5, 30],
  'gemini-3-pro-image': [12, 120],
  'gemini-3-pro-image-preview': [12, 120],
  'gemini-3.1-flash-image': [3, 60],
  'gemini-3.1-flash-lite-image': [1.5, 30],
  'gpt-image-1.5': [10, 32],
  'gpt-image-1.5-2025-12-16': [10, 32],
  // They write nothing.
  'gpt-image-1': [40, undefined],
  'gpt-image-2': [30, undefined],
  // OpenRouter's, which the list knows by their texts alone.
  'gpt-5-image': [10, 40],
  'gpt-5-image-mini': [2, 8],
  'gpt-5.4-image-2': [15, 30],
};

test('what a model draws has its own price where it also writes', () => {
  for (const [model, [output, imageOutput]] of Object.entries(DRAWN_BY_HAND)) {
    expect(file.tokens[model]?.output, model).toBe(output);
    expect(file.tokens[model]?.imageOutput, model).toBe(imageOutput);
  }
  const drawing = Object.entries(file.tokens).filter(([model]) => /image/.test(model));
  for (const [model, { imageOutput }] of drawing)
    expect(imageOutput !== undefined || model.startsWith('gpt-image-'), model).toBe(true);
});

/** Hybrid models of Alibaba's international list: what all output of a call that thinks costs, tier by tier. */
const THOUGHT_BY_HAND: Record<string, [input: number, output: number, thought: number][]> = {
  'qwen-plus': [
    [0.4, 1.2, 4],
    [1.2, 3.6, 12],
  ],
  'qwen-turbo': [[0.05, 0.2, 0.5]],
  'qwen3-235b-a22b': [[0.7, 2.8, 8.4]],
  'qwen3-32b': [[0.7, 2.8, 8.4]],
};

test('what a call that thinks says has its own price where its vendor asks one', () => {
  for (const [model, tiers] of Object.entries(THOUGHT_BY_HAND)) {
    const price = file.tokens[model];
    const found = price?.tiers?.map(({ input, output, output_thinking }) => [input, output, output_thinking]);
    expect(found ?? [[price?.input, price?.output, price?.outputThinking]], model).toEqual(tiers);
    expect(price?.outputThinking, model).toBe(tiers[0]?.[2]);
  }
  const named = Object.keys(file.tokens).filter((model) => file.tokens[model]?.outputThinking !== undefined);
  expect(named.sort()).toEqual(Object.keys(THOUGHT_BY_HAND).sort());
});

test('well-known models of every vendor cost what their vendors ask', () => {
  for (const [model, [input, output, cacheRead, cacheWrite]] of Object.entries(BY_HAND)) {
    expect(file.tokens[model], model).toMatchObject({
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    });
  }
  for (const [model, tiers] of Object.entries(TIERS_BY_HAND)) {
    const read = file.tokens[model]?.tiers?.map((tier) => [
      tier.up_to,
      tier.input,
      tier.output,
      tier.cache_read,
    ]);
    expect(read, model).toEqual(tiers);
  }
  expect(file.tokens['gpt-realtime']).toMatchObject({ audioInput: 32, audioOutput: 64, cacheReadAudio: 0.4 });
  expect(file.tokens['gpt-realtime-mini']).toMatchObject({ cacheRead: 0.06, cacheReadAudio: 0.3 });
  expect(file.tokens['gemini-2.5-flash']).toMatchObject({ cacheRead: 0.03, cacheReadAudio: 0.1 });
  expect(file.tokens['gpt-image-1']).toMatchObject({ imageInput: 10 });
  // Half a minute of sound is 375 tokens at Voxtral, and $0.002.
  expect(375 * (file.tokens['voxtral-small-latest']?.audioInput ?? 0)).toBeCloseTo(2_000, 1);
  expect(file.calls['dall-e-3']).toBe(0.04);
});

/** Names whose models are gone, or have moved on, by what answers to them. */
const ANSWERED_BY: Record<string, RegExp> = {
  'grok-4.3': /^grok-(4(-1)?-fast(-.+)?|code-fast(-.+)?)$/,
  'deepseek-flash': /^deepseek-v4-flash$/,
  'mistral-medium-3-5': /^(mistral|magistral)-medium(-latest)?$/,
  'mistral-small-2603': /^(mistral|magistral)-small-latest$/,
};

test('a name costs what the model does that answers to it', () => {
  for (const [model, names] of Object.entries(ANSWERED_BY)) {
    const named = Object.entries(file.tokens).filter(([name]) => names.test(name));
    expect(named, model).not.toBeEmpty();
    for (const [name, price] of named) expect(file.tokens[model], name).toEqual(price);
  }
});

/** Yuan per million tokens by the vendors' own pages, read by hand. */
const YUAN_BY_HAND: Record<string, [input: number, output: number, cacheRead?: number]> = {
  'ERNIE-4.0-8K': [30, 90],
  'ERNIE-3.5-8K': [0.8, 2],
  'ERNIE-Bot-8K': [24, 48],
  'ERNIE-Speed-128K': [0, 0],
  'ERNIE-Lite-8K-0922': [0, 0],
  'ERNIE-Tiny-8K': [0, 0],
  'ernie-4.5-turbo-128k': [0.8, 3.2, 0.2],
  'ernie-x1-turbo-32k': [1, 4],
  'Doubao-pro-4k': [0.8, 2],
  'Doubao-pro-32k': [0.8, 2],
  'Doubao-pro-128k': [5, 9],
  'Doubao-lite-32k': [0.3, 0.6],
  'Doubao-lite-128k': [0.8, 1],
  'doubao-seed-2-1-pro': [6, 30],
  'doubao-1-5-pro-32k': [0.8, 2],
  'doubao-1-5-lite-32k': [0.3, 0.6],
  'hunyuan-pro': [30, 100],
  'hunyuan-standard': [0.8, 2],
  '360gpt-pro': [2, 5],
  '360gpt2-pro': [2, 5],
  '360gpt-turbo': [1, 2],
  'SparkDesk-v1.1': [0, 0],
  'SparkDesk-v4.0': [18, 18],
  'glm-4': [100, 100],
  'glm-3-turbo': [1, 1],
  'yi-lightning': [0.99, 0.99],
};

test('prices in yuan are what their vendors ask, in and out', () => {
  for (const [model, [input, output, cacheRead]] of Object.entries(YUAN_BY_HAND)) {
    const price = file.tokens[model];
    for (const [usd, cny] of [
      [price?.input, input],
      [price?.output, output],
      [price?.cacheRead ?? 0, cacheRead ?? 0],
    ] as const)
      expect(usd, model).toBeCloseTo(cny / 7.3, 4);
  }
});

/** They put out no words, or pictures beside them. */
const NO_WORDS = /embed|^bge-|^m3e-|^tao-|rerank|similarity|image/i;

/** Whose vendors have one price for what goes in and what comes out. */
const ONE_PRICE = [
  // By what gateways have long charged for them: no page of their vendors is left.
  ...['360GPT_S2_V9', '360gpt-turbo-responsibility-8k', 'BLOOMZ-7B', 'PaLM-2', 'abab6.5s-chat'],
  ...['SparkDesk', 'SparkDesk-v2.1', 'SparkDesk-v3.1', 'SparkDesk-v3.5', 'SparkDesk-v4.0'],
  ...['babbage-002', 'davinci-002'],
  ...['chatglm_lite', 'chatglm_pro', 'chatglm_std', 'chatglm_turbo', 'glm-3-turbo', 'glm-4', 'glm-4-0520'],
  ...['glm-4-air', 'glm-4-airx', 'glm-4-alltools', 'glm-4-long', 'glm-4-plus', 'glm-4v', 'glm-4v-plus'],
  ...['ministral-14b-2512', 'ministral-3b', 'ministral-3b-2512', 'ministral-3b-latest', 'ministral-8b'],
  ...['ministral-8b-2410', 'ministral-8b-2512', 'ministral-8b-latest', 'mistral-7b', 'mistral-nemo'],
  ...['mistral-tiny', 'open-mistral-7b', 'open-mistral-nemo', 'open-mixtral-8x7b', 'pixtral-12b'],
  ...['pixtral-12b-latest', 'yi-large', 'yi-large-rag', 'yi-large-turbo', 'yi-lightning', 'yi-medium'],
  ...['yi-medium-200k', 'yi-spark', 'yi-vision'],
];

/** Whoever sells them gives them away. */
const FREE = [
  ...['ERNIE-Lite-8K-0308', 'ERNIE-Lite-8K-0922', 'ERNIE-Speed-128K', 'ERNIE-Speed-8K', 'ERNIE-Tiny-8K'],
  ...['SparkDesk-v1.1', 'glm-4-flash', 'glm-4.5-flash', 'hunyuan-lite'],
  ...['omni-moderation-latest', 'text-moderation-latest'],
];

test('nothing is free but what is so at every shop', () => {
  const free = Object.entries(file.tokens).filter(([, { input }]) => input === 0);
  expect(free.map(([model]) => model).sort()).toEqual(FREE.sort());
});

test('no model that is sold for its words costs as much out as in, but those that are known to', () => {
  const even = Object.entries(file.tokens).filter(
    ([model, { input, output }]) => input === output && input > 0 && !NO_WORDS.test(model),
  );
  expect(even.map(([model]) => model).sort()).toEqual(ONE_PRICE.sort());
});

test('no row is made of a model that is written to a cache and not read from it', () => {
  const row = { input: 1, output: 2, cacheWrite: 1.25 };
  const read = { ...row, cacheRead: 0.2 };
  const tier = { up_to: null, input: 1, output: 2, cache_write: 1.25 };
  expect(() => readable({ some: read, other: row })).toThrow(/: other$/);
  expect(() => readable({ other: { ...read, tiers: [tier] } })).toThrow(/: other$/);
  const whole = { some: { ...read, tiers: [{ ...tier, cache_read: 0.2 }] }, other: { input: 1, output: 2 } };
  expect(readable(whole)).toBe(whole);
  expect(readable(file.tokens)).toBe(file.tokens);
});
