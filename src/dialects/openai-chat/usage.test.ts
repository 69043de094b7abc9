import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { countsOf } from '../../../tests/dialects/mapping.ts';
import { usageWithThoughts } from '../../../tests/support/quotes.ts';
import { completionTokens, noUsage, promptTokens, type Usage } from '../../core/usage.ts';
import { readUsage, writeUsage } from './usage.ts';

const of = (fields: Partial<Usage>): Usage => ({ ...noUsage(), ...fields });

const cases: [name: string, raw: unknown, expected: Usage | null][] = [
  [
    'OpenAI: cached and audio tokens are parts of the prompt',
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 60, audio_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5 },
    },
    of({ input: 30, cacheRead: 60, inputAudio: 10, output: 45, outputAudio: 5, reasoning: 20 }),
  ],
  [
    'OpenAI: what a cache keeps for half a day costs more than what it keeps for half an hour',
    {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: {
        cached_tokens: 10,
        cache_write_tokens: 80,
        cache_write_tokens_details: { ttl_12h_tokens: 60, ttl_30m_tokens: 20 },
      },
    },
    of({ input: 10, cacheRead: 10, cacheWrite: 20, cacheWriteHour: 60, output: 5, untoldWrites: 0 }),
  ],
  [
    'DeepSeek: the hits are named twice and counted once',
    {
      prompt_tokens: 339,
      completion_tokens: 83,
      prompt_tokens_details: { cached_tokens: 320 },
      prompt_cache_hit_tokens: 320,
      prompt_cache_miss_tokens: 19,
    },
    of({ input: 19, cacheRead: 320, output: 83 }),
  ],
  [
    'DeepSeek of old: only the hits',
    { prompt_tokens: 20, completion_tokens: 1, prompt_cache_hit_tokens: 16 },
    of({ input: 4, cacheRead: 16, output: 1 }),
  ],
  [
    'Moonshot: cached tokens beside the prompt',
    { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50, cached_tokens: 10 },
    of({ input: 10, cacheRead: 10, output: 30 }),
  ],
  [
    'xAI: reasoning is counted beside the completion, as its total says',
    {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 335,
      completion_tokens_details: { reasoning_tokens: 320 },
    },
    of({ input: 12, output: 323, reasoning: 320 }),
  ],
  [
    'cached tokens are no more than the prompt that they are part of, so that more of them are beside it',
    { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 100 } },
    of({ input: 5, cacheRead: 100, output: 1 }),
  ],
  [
    'cached tokens beside the prompt, as the total says',
    {
      prompt_tokens: 5,
      completion_tokens: 1,
      total_tokens: 106,
      prompt_tokens_details: { cached_tokens: 100 },
    },
    of({ input: 5, cacheRead: 100, output: 1 }),
  ],
  [
    'OpenRouter and Qwen: cache writes',
    { prompt_tokens: 50, completion_tokens: 1, prompt_tokens_details: { cache_creation_input_tokens: 40 } },
    of({ input: 10, cacheWrite: 40, output: 1, untoldWrites: 40 }),
  ],
  [
    'a gateway: cache writes beside the details',
    { prompt_tokens: 50, completion_tokens: 1, cache_creation_input_tokens: 40, prompt_tokens_details: {} },
    of({ input: 10, cacheWrite: 40, output: 1, untoldWrites: 40 }),
  ],
  [
    'Qwen: the life of what was written',
    {
      prompt_tokens: 50,
      completion_tokens: 1,
      prompt_tokens_details: {
        cache_creation_input_tokens: 40,
        cache_creation: { ephemeral_5m_input_tokens: 30 },
      },
    },
    of({ input: 10, cacheWrite: 40, output: 1, untoldWrites: 10 }),
  ],
  [
    'New API: cache writes, and zeros where their life is told',
    {
      ...{ prompt_tokens: 50, completion_tokens: 1, total_tokens: 51, input_tokens: 0, output_tokens: 0 },
      prompt_tokens_details: { cached_tokens: 5, cached_creation_tokens: 40 },
      claude_cache_creation_5_m_tokens: 0,
      claude_cache_creation_1_h_tokens: 0,
    },
    of({ input: 5, cacheRead: 5, cacheWrite: 40, output: 1, untoldWrites: 40 }),
  ],
  [
    'New API: the lives of what was written',
    {
      ...{ prompt_tokens: 50, completion_tokens: 1, total_tokens: 51 },
      prompt_tokens_details: { cached_creation_tokens: 40 },
      claude_cache_creation_5_m_tokens: 30,
      claude_cache_creation_1_h_tokens: 10,
    },
    of({ input: 10, cacheWrite: 30, cacheWriteHour: 10, output: 1, untoldWrites: 0 }),
  ],
  [
    'New API: nothing told of writes',
    {
      ...{ prompt_tokens: 50, completion_tokens: 1, total_tokens: 51 },
      claude_cache_creation_5_m_tokens: 0,
      claude_cache_creation_1_h_tokens: 0,
    },
    of({ input: 50, output: 1 }),
  ],
  [
    'New API: the names of this wire without a count, and those of Responses with theirs',
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 150, input_tokens: 50, output_tokens: 100 },
    of({ input: 50, output: 100 }),
  ],
  [
    'LiteLLM: the lives of what was written',
    {
      prompt_tokens: 50,
      completion_tokens: 1,
      prompt_tokens_details: {
        cache_creation_tokens: 40,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
      },
      cache_creation_input_tokens: 40,
    },
    of({ input: 10, cacheWrite: 30, cacheWriteHour: 10, output: 1, untoldWrites: 0 }),
  ],
  [
    'a gateway: the lives beside the details, and what was written among them',
    {
      prompt_tokens: 50,
      completion_tokens: 1,
      prompt_tokens_details: { cache_creation_tokens: 40 },
      cache_creation_token_details: { ephemeral_5m_input_tokens: 25, ephemeral_1h_input_tokens: 10 },
    },
    of({ input: 10, cacheWrite: 30, cacheWriteHour: 10, output: 1, untoldWrites: 5 }),
  ],
  [
    'a gateway: the lives among the details, and what was written beside them',
    {
      prompt_tokens: 50,
      completion_tokens: 1,
      prompt_tokens_details: { cache_creation: { ephemeral_1h_input_tokens: 10 } },
      cache_creation_input_tokens: 40,
    },
    of({ input: 10, cacheWrite: 30, cacheWriteHour: 10, output: 1, untoldWrites: 30 }),
  ],
  [
    'a gateway: lives in a form that nobody knows, or none',
    {
      prompt_tokens: 50,
      completion_tokens: 1,
      prompt_tokens_details: {
        cache_creation_tokens: 40,
        cache_creation: null,
        cache_creation_token_details: {},
      },
      cache_creation: { ephemeral_5m_input_tokens: 40 },
    },
    of({ input: 10, cacheWrite: 40, output: 1, untoldWrites: 0 }),
  ],
  [
    'lives by the words of two wires, of which one has none',
    {
      prompt_tokens: 50,
      completion_tokens: 1,
      prompt_tokens_details: {
        cache_write_tokens: 40,
        cache_creation: { ephemeral_1h_input_tokens: 0 },
        cache_write_tokens_details: { ttl_12h_tokens: 40 },
      },
    },
    of({ input: 10, cacheWriteHour: 40, output: 1, untoldWrites: 0 }),
  ],
  [
    'Realtime: what of sounds and pictures came from a cache',
    {
      ...{ input_tokens: 260, output_tokens: 7, total_tokens: 267 },
      input_token_details: {
        ...{ text_tokens: 30, audio_tokens: 170, image_tokens: 60, cached_tokens: 150 },
        cached_tokens_details: { text_tokens: 10, audio_tokens: 100, image_tokens: 40 },
      },
    },
    of({ input: 20, inputAudio: 70, inputImage: 20, cacheRead: 50, cacheReadAudio: 100, output: 7 }),
  ],
  [
    'Qwen on Realtime: details in the words of Responses',
    {
      ...{ total_tokens: 377, input_tokens: 336, output_tokens: 41 },
      input_tokens_details: { text_tokens: 228, audio_tokens: 100, image_tokens: 5, video_tokens: 3 },
      output_tokens_details: { text_tokens: 9, audio_tokens: 32 },
    },
    of({ input: 228, inputAudio: 100, inputImage: 5, inputVideo: 3, output: 9, outputAudio: 32 }),
  ],
  [
    'LiteLLM on Realtime: details by both words, and nothing under one',
    {
      ...{ total_tokens: 2_920, input_tokens: 1_960, output_tokens: 960 },
      input_tokens_details: { text_tokens: 40, audio_tokens: 1_920, cached_tokens: 20, image_tokens: 0 },
      output_tokens_details: { text_tokens: 0, audio_tokens: 960, reasoning_tokens: 0 },
      input_token_details: { text_tokens: 0, audio_tokens: 0, cached_tokens: 0, image_tokens: 15 },
      output_token_details: { text_tokens: 0, audio_tokens: 0 },
    },
    of({ input: 5, cacheRead: 20, inputAudio: 1_920, inputImage: 15, outputAudio: 960 }),
  ],
  [
    'a gateway: details by the words of two wires, and nothing under one',
    {
      ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      input_tokens_details: { cached_tokens: 10, audio_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 5, audio_tokens: 40 },
    },
    of({ input: 30, cacheRead: 10, inputAudio: 60, output: 10, outputAudio: 40, reasoning: 5 }),
  ],
  [
    'a gateway: cache writes by the words of several, and nothing under all but one',
    {
      ...{ prompt_tokens: 50, completion_tokens: 1, cache_creation_input_tokens: 0 },
      prompt_tokens_details: { cache_write_tokens: 0, cached_creation_tokens: 40 },
    },
    of({ input: 10, cacheWrite: 40, output: 1, untoldWrites: 40 }),
  ],
  [
    'a gateway: no cache writes in all, and their lives',
    {
      ...{ prompt_tokens: 50, completion_tokens: 1, cache_creation_input_tokens: 0 },
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
    },
    of({ input: 10, cacheWrite: 30, cacheWriteHour: 10, output: 1, untoldWrites: 0 }),
  ],
  [
    'that nothing was written',
    { prompt_tokens: 50, completion_tokens: 1, prompt_tokens_details: { cache_write_tokens: 0 } },
    of({ input: 50, output: 1, untoldWrites: 0 }),
  ],
  [
    "Perplexity's research: quoted pages and thoughts are told beside prompt and completion",
    {
      prompt_tokens: 33,
      completion_tokens: 7_163,
      total_tokens: 7_196,
      citation_tokens: 20_016,
      num_search_queries: 18,
      reasoning_tokens: 73_997,
    },
    of({ input: 20_049, output: 81_160, reasoning: 73_997 }),
  ],
  [
    'the same from a relay that has added it up',
    {
      prompt_tokens: 20_049,
      completion_tokens: 81_160,
      total_tokens: 175_219,
      citation_tokens: 20_016,
      reasoning_tokens: 73_997,
    },
    of({ input: 20_049, output: 81_160 }),
  ],
  [
    'the same from a relay that tells the thoughts in the details, too',
    {
      prompt_tokens: 33,
      completion_tokens: 7_163,
      total_tokens: 7_196,
      citation_tokens: 20_016,
      reasoning_tokens: 73_997,
      completion_tokens_details: { reasoning_tokens: 73_997 },
    },
    of({ input: 20_049, output: 81_160, reasoning: 73_997 }),
  ],
  [
    'reasoning at the top is nothing of others',
    { prompt_tokens: 9, completion_tokens: 50, total_tokens: 59, reasoning_tokens: 40 },
    of({ input: 9, output: 50 }),
  ],
  [
    "Google's endpoint, and gateways: thoughts in the total alone",
    { prompt_tokens: 9, completion_tokens: 1, total_tokens: 103 },
    of({ input: 9, output: 94 }),
  ],
  [
    'New API: the same beside details that tell of no thought',
    {
      prompt_tokens: 9,
      completion_tokens: 11,
      total_tokens: 88,
      prompt_tokens_details: { cached_tokens: 0, text_tokens: 0, audio_tokens: 0, image_tokens: 0 },
      completion_tokens_details: { text_tokens: 0, audio_tokens: 0, reasoning_tokens: 0 },
    },
    of({ input: 9, output: 79 }),
  ],
  [
    'a cache does not explain thoughts that are in the total alone',
    {
      prompt_tokens: 1_000,
      completion_tokens: 5,
      total_tokens: 9_005,
      prompt_tokens_details: { cached_tokens: 800 },
    },
    of({ input: 200, cacheRead: 800, output: 8_005 }),
  ],
  [
    'Responses: thoughts in the total alone',
    { input_tokens: 9, output_tokens: 1, total_tokens: 103, output_tokens_details: { reasoning_tokens: 0 } },
    of({ input: 9, output: 94 }),
  ],
  [
    'cached tokens beside a prompt that is longer, as the total says',
    {
      prompt_tokens: 500,
      completion_tokens: 20,
      total_tokens: 620,
      prompt_tokens_details: { cached_tokens: 100 },
    },
    of({ input: 500, cacheRead: 100, output: 20 }),
  ],
  [
    "Anthropic's counts under the names of this wire: both of its caches are beside the prompt",
    {
      prompt_tokens: 5,
      completion_tokens: 20,
      total_tokens: 1_025,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 100,
    },
    of({ input: 5, cacheRead: 900, cacheWrite: 100, output: 20, untoldWrites: 100 }),
  ],
  [
    'the same with zeros where OpenAI has them',
    {
      ...{ prompt_tokens: 5, completion_tokens: 20, total_tokens: 925, cache_read_input_tokens: 900 },
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0, image_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    of({ input: 5, cacheRead: 900, output: 20 }),
  ],
  [
    'Databricks: what was read of a cache is named as at Anthropic, and part of the prompt',
    { prompt_tokens: 950, completion_tokens: 20, total_tokens: 970, cache_read_input_tokens: 900 },
    of({ input: 50, cacheRead: 900, output: 20 }),
  ],
  [
    'CLIProxyAPI: what was read is beside the prompt, and not in the total',
    {
      prompt_tokens: 1_300,
      completion_tokens: 200,
      total_tokens: 500,
      prompt_tokens_details: { cached_tokens: 50_000 },
    },
    of({ input: 1_300, cacheRead: 50_000, output: 200 }),
  ],
  [
    'older New API: both are beside the prompt, and not in the total',
    {
      prompt_tokens: 300,
      completion_tokens: 200,
      total_tokens: 500,
      prompt_tokens_details: { cached_tokens: 50_000, cached_creation_tokens: 1_000 },
    },
    of({ input: 300, cacheRead: 50_000, cacheWrite: 1_000, output: 200, untoldWrites: 1_000 }),
  ],
  [
    'the same of a first turn, of which all was written',
    {
      prompt_tokens: 300,
      completion_tokens: 200,
      total_tokens: 500,
      prompt_tokens_details: { cached_tokens: 0, cached_creation_tokens: 51_000 },
    },
    of({ input: 300, cacheWrite: 51_000, output: 200, untoldWrites: 51_000 }),
  ],
  [
    'where one of them fits into the prompt, what was read is beside it',
    {
      prompt_tokens: 1_300,
      completion_tokens: 200,
      total_tokens: 1_500,
      prompt_tokens_details: { cached_tokens: 1_200, cached_creation_tokens: 1_000 },
    },
    of({ input: 300, cacheRead: 1_200, cacheWrite: 1_000, output: 200, untoldWrites: 1_000 }),
  ],
  [
    "LiteLLM of Bedrock's: what was written to the cache is beside a prompt that holds what was read of it",
    {
      prompt_tokens: 905,
      completion_tokens: 20,
      total_tokens: 1_025,
      prompt_tokens_details: { cached_tokens: 900 },
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 100,
    },
    of({ input: 5, cacheRead: 900, cacheWrite: 100, output: 20, untoldWrites: 100 }),
  ],
  [
    'sound, of which a cache had some',
    {
      prompt_tokens: 200,
      completion_tokens: 5,
      prompt_tokens_details: {
        audio_tokens: 150,
        cached_tokens: 120,
        cached_tokens_details: { audio_tokens: 100 },
      },
    },
    of({ input: 30, cacheRead: 20, cacheReadAudio: 100, inputAudio: 50, output: 5 }),
  ],
  [
    'cached tokens and reasoning, both beside',
    {
      prompt_tokens: 50,
      completion_tokens: 20,
      total_tokens: 210,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 100 },
    },
    of({ input: 50, cacheRead: 40, output: 120, reasoning: 100 }),
  ],
  [
    'sound and pictures beside the text, as the total says',
    {
      prompt_tokens: 50,
      completion_tokens: 20,
      total_tokens: 400,
      prompt_tokens_details: { audio_tokens: 300, image_tokens: 30 },
    },
    of({ input: 50, inputAudio: 300, inputImage: 30, output: 20 }),
  ],
  [
    'Mistral: a sound that it heard is in the total alone',
    { prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 3_264, completion_tokens: 635 },
    of({ input: 4, inputAudio: 2_625, output: 635 }),
  ],
  [
    'Mistral behind a gateway that has no word for a sound but zeros',
    {
      ...{ prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 3_264, completion_tokens: 635 },
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    },
    of({ input: 4, inputAudio: 2_625, output: 635 }),
  ],
  [
    'Mistral: of which its cache had some',
    {
      prompt_audio_seconds: 203,
      prompt_tokens: 5,
      total_tokens: 404,
      completion_tokens: 24,
      prompt_tokens_details: { cached_tokens: 368 },
    },
    of({ input: 5, cacheRead: 368, inputAudio: 7, output: 24 }),
  ],
  [
    'Mistral: nothing was heard',
    { prompt_audio_seconds: null, prompt_tokens: 4, total_tokens: 39, completion_tokens: 35 },
    of({ input: 4, output: 35 }),
  ],
  [
    'a total that is less than its parts tells nothing',
    { prompt_tokens: 9, completion_tokens: 50, total_tokens: 1 },
    of({ input: 9, output: 50 }),
  ],
  [
    "Perplexity's research from a relay whose total alone holds what was quoted and thought",
    {
      prompt_tokens: 33,
      completion_tokens: 7_163,
      total_tokens: 101_209,
      citation_tokens: 20_016,
      reasoning_tokens: 73_997,
    },
    of({ input: 20_049, output: 81_160, reasoning: 73_997 }),
  ],
  ['explicit zeros are usage', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, of({})],
  ['only a total', { total_tokens: 7 }, of({ input: 7 })],
  [
    'a total beside a prompt of nothing, which is one that is not told',
    { prompt_tokens: 0, completion_tokens: 50, total_tokens: 5_050 },
    of({ input: 5_000, output: 50 }),
  ],
  ['null is none', null, null],
  ['an empty object is none', {}, null],
  ['a text is none', 'usage', null],
];

test.each(cases)('%s', (_name, raw, expected) => {
  expect(readUsage(raw)).toEqual(expected);
});

const count = fc.nat(1_000_000);

test('usage that is written reads back the same', () => {
  fc.assert(
    fc.property(usageWithThoughts, (usage) => {
      const back = readUsage(writeUsage(usage));
      expect(back && countsOf(back)).toEqual(usage);
    }),
  );
});

test('what is told of caches is charged, however little is told of the prompt', () => {
  fc.assert(
    fc.property(fc.tuple(count, count, count, count), ([prompt, total, read, written]) => {
      const usage = readUsage({
        prompt_tokens: prompt,
        completion_tokens: 9,
        total_tokens: total,
        prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
      });
      expect(usage).toMatchObject({ cacheRead: read, cacheWrite: written });
    }),
  );
});

test('no report of a vendor makes a negative count or loses a token of its totals', () => {
  const field = fc.option(fc.oneof(count, fc.constant(-5), fc.constant('7'), fc.constant(null)), {
    nil: undefined,
  });
  const report = fc.record({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: field,
    cached_tokens: field,
    prompt_cache_hit_tokens: field,
    prompt_tokens_details: fc.record({
      cached_tokens: field,
      audio_tokens: field,
      image_tokens: field,
      cache_write_tokens: field,
    }),
    completion_tokens_details: fc.record({ reasoning_tokens: field, audio_tokens: field }),
  });
  fc.assert(
    fc.property(report, (raw) => {
      const usage = readUsage(raw);
      if (!usage) throw new Error('there was usage');
      expect(Math.min(...Object.values(usage))).toBeGreaterThanOrEqual(0);
      expect(promptTokens(usage)).toBeGreaterThanOrEqual(raw.prompt_tokens);
      expect(completionTokens(usage)).toBeGreaterThanOrEqual(raw.completion_tokens);
    }),
  );
});
