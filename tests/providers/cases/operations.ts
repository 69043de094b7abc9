/** What each provider must send for each operation beside chat, and what its vendor answers. One case a type and operation at least. */
import type { JsonObject } from '../../../src/core/json.ts';
import type { Operation } from '../../../src/dialects/dialect.ts';
import type { VendorCall } from '../../support/vendor.ts';

export interface OperationCase {
  type: number;
  operation: Operation;
  model?: string;
  key?: string;
  channel?: JsonObject;
  /** Added to what is asked. */
  asks?: JsonObject;
  /** Below the channel's address, with its query. */
  path: string;
  headers?: Record<string, string>;
  /** Instead of what is asked; of a form its fields. */
  body?: JsonObject;
  /** What goes up where it is no JSON. */
  text?: string;
  answer?: JsonObject | ((call: VendorCall) => Response);
  /** What the caller gets, as far as it matters. */
  gives?: JsonObject | string;
}

export const HOST = 'http://up.example';
export const KEY = 'sk-operation-0123456789';

interface Usual {
  path: string;
  asks: JsonObject;
  /** Files of a form. */
  files?: Record<string, string>;
  answer: JsonObject | ((call: VendorCall) => Response);
  gives: JsonObject | string;
}

const sound = () => new Response('sound', { headers: { 'content-type': 'audio/mpeg' } });
const vectors = [
  [0.5, -0.25],
  [0, 1],
];
const embedded: JsonObject = {
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  usage: { prompt_tokens: 4, total_tokens: 4 },
};
const givenVectors: JsonObject = { data: vectors.map((embedding, index) => ({ index, embedding })) };
const ranked: JsonObject = {
  results: [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ],
  usage: { total_tokens: 4, prompt_tokens: 4 },
};
const ranks: JsonObject = {
  results: [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ],
};

/** The same question of every provider, and OpenAI's answer. */
export const USUAL: Readonly<Record<Exclude<Operation, 'chat' | 'realtime' | 'tool' | 'task'>, Usual>> = {
  completions: {
    path: '/v1/completions',
    asks: { prompt: 'hi', max_tokens: 5 },
    answer: {
      choices: [{ text: 'ok', index: 0, finish_reason: 'stop' }],
      usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
    },
    gives: { choices: [{ text: 'ok', index: 0, finish_reason: 'stop' }] },
  },
  embeddings: {
    path: '/v1/embeddings',
    asks: { input: ['a', 'b'] },
    answer: embedded,
    gives: givenVectors,
  },
  images: {
    path: '/v1/images/generations',
    asks: { prompt: 'a cat', n: 1, size: '1024x1024' },
    answer: { created: 1, data: [{ url: `${HOST}/cat.png` }] },
    gives: { data: [{ url: `${HOST}/cat.png` }] },
  },
  'image-edits': {
    path: '/v1/images/edits',
    asks: { prompt: 'a dog' },
    files: { image: 'image/png' },
    answer: { created: 1, data: [{ url: `${HOST}/dog.png` }] },
    gives: { data: [{ url: `${HOST}/dog.png` }] },
  },
  'image-variations': {
    path: '/v1/images/variations',
    asks: {},
    files: { image: 'image/png' },
    answer: { created: 1, data: [{ url: `${HOST}/dog.png` }] },
    gives: { data: [{ url: `${HOST}/dog.png` }] },
  },
  speech: {
    path: '/v1/audio/speech',
    asks: { input: 'hello', voice: 'alloy' },
    answer: sound,
    gives: 'sound',
  },
  transcriptions: {
    path: '/v1/audio/transcriptions',
    asks: {},
    files: { file: 'audio/wav' },
    answer: { text: 'ok' },
    gives: { text: 'ok' },
  },
  translations: {
    path: '/v1/audio/translations',
    asks: {},
    files: { file: 'audio/wav' },
    answer: { text: 'ok' },
    gives: { text: 'ok' },
  },
  moderations: {
    path: '/v1/moderations',
    asks: { input: 'hi' },
    answer: { id: 'modr-1', model: 'm', results: [{ flagged: false }] },
    gives: { results: [{ flagged: false }] },
  },
  rerank: {
    path: '/v1/rerank',
    asks: { query: 'q', documents: ['a', 'b'] },
    answer: ranked,
    gives: ranks,
  },
  'count-tokens': {
    path: '/v1/messages/count_tokens',
    asks: { messages: [{ role: 'user', content: 'hi' }] },
    answer: { input_tokens: 4 },
    gives: { input_tokens: 4 },
  },
};

/** Cases of vendors who differ in nothing but the path. */
const usual = (
  type: number,
  paths: Partial<Record<Operation, string>>,
  more: Partial<OperationCase> = {},
): OperationCase[] =>
  Object.entries(paths).map(([operation, path]) => ({
    type,
    operation: operation as Operation,
    path,
    ...more,
  }));

const bearer = { authorization: `Bearer ${KEY}` };
const deployment = (task: string) => `/openai/deployments/m/${task}?api-version=v1`;
const run = '/client/v4/accounts/acc/ai/run/';
const vertexRoot = '/v1/projects/proj/locations/us-central1/publishers/google/models/';

/** What a file of the mock's forms holds, as base64. */
const BYTES = Buffer.from('bytes').toString('base64');
const PNG = `data:image/png;base64,${BYTES}`;
const picture = Buffer.from('picture').toString('base64');

const jsonOr = (pages: Record<string, JsonObject | string>) => (call: VendorCall) => {
  const page = pages[call.url.pathname];
  if (typeof page === 'string') return new Response(page);
  return Response.json(page ?? {}, { status: page ? 200 : 404 });
};

const TASK = '/api/v1/tasks/t1';
const imageTask = (path: string) =>
  jsonOr({
    [path]: { output: { task_id: 't1', task_status: 'PENDING' }, request_id: 'r' },
    [TASK]: {
      output: { task_id: 't1', task_status: 'SUCCEEDED', results: [{ url: `${HOST}/cat.png` }] },
      usage: { image_count: 1 },
    },
  });
const SYNTHESIS = '/api/v1/services/aigc/text2image/image-synthesis';
const GENERATION = '/api/v1/services/aigc/multimodal-generation/generation';

export const operationCases: readonly OperationCase[] = [
  ...usual(
    1,
    {
      completions: '/v1/completions',
      embeddings: '/v1/embeddings',
      images: '/v1/images/generations',
      'image-edits': '/v1/images/edits',
      'image-variations': '/v1/images/variations',
      speech: '/v1/audio/speech',
      transcriptions: '/v1/audio/transcriptions',
      translations: '/v1/audio/translations',
      moderations: '/v1/moderations',
      rerank: '/v1/rerank',
    },
    { headers: bearer },
  ),
  ...usual(
    3,
    {
      completions: deployment('completions'),
      embeddings: deployment('embeddings'),
      images: deployment('images/generations'),
      'image-edits': deployment('images/edits'),
      speech: deployment('audio/speech'),
      transcriptions: deployment('audio/transcriptions'),
      translations: deployment('audio/translations'),
    },
    { channel: { other: 'v1' }, headers: { 'api-key': KEY } },
  ),
  ...usual(4, { completions: '/v1/completions' }),
  {
    type: 4,
    operation: 'embeddings',
    path: '/api/embed',
    answer: { embeddings: vectors, prompt_eval_count: 4 },
  },
  ...usual(
    8,
    {
      completions: '/own/m',
      embeddings: '/own/m',
      images: '/own/m',
      speech: '/own/m',
      transcriptions: '/own/m',
      translations: '/own/m',
      moderations: '/own/m',
      rerank: '/own/m',
    },
    { channel: { base_url: `${HOST}/own/{model}` } },
  ),
  {
    type: 14,
    operation: 'count-tokens',
    path: '/v1/messages/count_tokens',
    headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
  },
  {
    type: 15,
    operation: 'embeddings',
    model: 'Embedding-V1',
    key: 'id|secret',
    path: '/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/embedding-v1?access_token=24.token',
    body: { input: ['a', 'b'] },
    answer: ({ url }) =>
      Response.json(
        url.pathname === '/oauth/2.0/token' ? { access_token: '24.token', expires_in: 2_592_000 } : embedded,
      ),
  },
  ...usual(17, {
    completions: '/compatible-mode/v1/completions',
    embeddings: '/compatible-mode/v1/embeddings',
  }),
  {
    type: 17,
    operation: 'images',
    model: 'wan2.2-t2i-flash',
    path: SYNTHESIS,
    headers: { ...bearer, 'x-dashscope-async': 'enable' },
    body: {
      model: 'wan2.2-t2i-flash',
      input: { prompt: 'a cat' },
      parameters: { size: '1024*1024', n: 1 },
    },
    answer: imageTask(SYNTHESIS),
  },
  {
    type: 17,
    operation: 'images',
    model: 'qwen-image',
    asks: { response_format: 'b64_json' },
    path: GENERATION,
    body: {
      model: 'qwen-image',
      input: { messages: [{ role: 'user', content: [{ text: 'a cat' }] }] },
      parameters: { size: '1024*1024', n: 1 },
    },
    answer: jsonOr({
      [GENERATION]: { output: { choices: [{ message: { content: [{ image: `${HOST}/cat.png` }] } }] } },
      '/cat.png': 'picture',
    }),
    gives: { data: [{ b64_json: picture }] },
  },
  {
    type: 17,
    operation: 'image-edits',
    model: 'qwen-image-edit',
    path: GENERATION,
    body: {
      model: 'qwen-image-edit',
      input: { messages: [{ role: 'user', content: [{ image: PNG }, { text: 'a dog' }] }] },
      parameters: { n: 1 },
    },
    answer: { output: { choices: [{ message: { content: [{ image: `${HOST}/dog.png` }] } }] } },
  },
  {
    type: 17,
    operation: 'rerank',
    path: '/api/v1/services/rerank/text-rerank/text-rerank',
    body: {
      model: 'm',
      input: { query: 'q', documents: ['a', 'b'] },
      parameters: { return_documents: false },
    },
    answer: { output: ranks, usage: { total_tokens: 4 }, request_id: 'r' },
  },
  ...usual(19, { embeddings: '/v1/embeddings' }),
  ...usual(20, { completions: '/v1/completions', embeddings: '/v1/embeddings' }),
  {
    type: 23,
    operation: 'embeddings',
    model: 'hunyuan-embedding',
    key: 'app|id|secret',
    path: '/',
    headers: { 'x-tc-action': 'GetEmbedding', 'x-tc-version': '2023-09-01' },
    body: { InputList: ['a', 'b'] },
    answer: {
      Response: {
        Data: vectors.map((Embedding, Index) => ({ Embedding, Index, Object: 'embedding' })).reverse(),
        Usage: { PromptTokens: 4, TotalTokens: 4 },
      },
    },
  },
  {
    type: 24,
    operation: 'embeddings',
    path: '/v1beta/models/m:batchEmbedContents',
    body: { requests: ['a', 'b'].map((text) => ({ model: 'models/m', content: { parts: [{ text }] } })) },
    answer: { embeddings: vectors.map((values) => ({ values })) },
  },
  {
    type: 24,
    operation: 'count-tokens',
    path: '/v1beta/models/m:countTokens',
    body: {
      generateContentRequest: {
        model: 'models/m',
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        generationConfig: { maxOutputTokens: 1 },
      },
    },
    answer: { totalTokens: 4 },
  },
  {
    type: 24,
    operation: 'images',
    model: 'imagen-4.0-generate-001',
    path: '/v1beta/models/imagen-4.0-generate-001:predict',
    body: {
      instances: [{ prompt: 'a cat' }],
      parameters: { sampleCount: 1, aspectRatio: '1:1', personGeneration: 'allow_adult' },
    },
    answer: {
      predictions: [{ mimeType: 'image/png', bytesBase64Encoded: picture }, { raiFilteredReason: 'x' }],
    },
    gives: { data: [{ b64_json: picture }], usage: { input_tokens: 258 } },
  },
  {
    type: 24,
    operation: 'images',
    model: 'gemini-2.5-flash-image',
    path: '/v1beta/models/gemini-2.5-flash-image:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '1:1' } },
    },
    answer: {
      candidates: [
        { content: { parts: [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data: picture } }] } },
      ],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1290 },
    },
    gives: { data: [{ b64_json: picture }], usage: { input_tokens: 4, output_tokens: 1290 } },
  },
  {
    type: 24,
    operation: 'speech',
    asks: { response_format: 'pcm' },
    path: '/v1beta/models/m:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    },
    answer: {
      candidates: [
        {
          content: {
            parts: [
              {
                inlineData: {
                  mimeType: 'audio/L16;codec=pcm;rate=24000',
                  data: Buffer.from('sound').toString('base64'),
                },
              },
            ],
          },
        },
      ],
    },
  },
  ...usual(26, {
    embeddings: '/api/paas/v4/embeddings',
    images: '/api/paas/v4/images/generations',
    transcriptions: '/api/paas/v4/audio/transcriptions',
    speech: '/api/paas/v4/audio/speech',
    rerank: '/api/paas/v4/rerank',
    moderations: '/api/paas/v4/moderations',
  }),
  {
    type: 26,
    operation: 'images',
    asks: { response_format: 'b64_json' },
    path: '/api/paas/v4/images/generations',
    answer: jsonOr({
      '/api/paas/v4/images/generations': { created: 1, data: [{ url: `${HOST}/cat.png` }] },
      '/cat.png': 'picture',
    }),
    gives: { data: [{ b64_json: picture }] },
  },
  {
    type: 34,
    operation: 'embeddings',
    path: '/v2/embed',
    body: { model: 'm', texts: ['a', 'b'], input_type: 'search_document', embedding_types: ['float'] },
    answer: { embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 4 } } },
  },
  {
    type: 34,
    operation: 'rerank',
    path: '/v2/rerank',
    body: { model: 'm', query: 'q', documents: ['a', 'b'] },
    answer: { ...ranks, meta: { billed_units: { search_units: 1 } } },
  },
  {
    type: 35,
    operation: 'embeddings',
    path: '/v1/embeddings',
    body: { model: 'm', texts: ['a', 'b'], type: 'db' },
    answer: { vectors, total_tokens: 4, base_resp: { status_code: 0, status_msg: '' } },
  },
  {
    type: 35,
    operation: 'images',
    path: '/v1/image_generation',
    body: { model: 'm', prompt: 'a cat', n: 1, width: 1024, height: 1024, response_format: 'url' },
    answer: { id: 'i', data: { image_urls: [`${HOST}/cat.png`] }, base_resp: { status_code: 0 } },
  },
  {
    type: 35,
    operation: 'speech',
    path: '/v1/t2a_v2',
    body: {
      model: 'm',
      text: 'hello',
      stream: false,
      voice_setting: { voice_id: 'female-chengshu' },
      audio_setting: {},
      output_format: 'hex',
    },
    answer: {
      data: { audio: Buffer.from('sound').toString('hex'), status: 2 },
      extra_info: { audio_format: 'mp3', usage_characters: 5 },
      base_resp: { status_code: 0, status_msg: 'success' },
    },
  },
  ...usual(38, { embeddings: '/v1/embeddings', rerank: '/v1/rerank' }),
  {
    type: 39,
    operation: 'completions',
    model: '@cf/meta/llama',
    channel: { other: 'acc' },
    path: `${run}%40cf/meta/llama`,
    body: { prompt: 'hi', max_tokens: 5 },
    answer: { result: { response: 'ok', usage: { prompt_tokens: 4, completion_tokens: 2 } }, success: true },
  },
  {
    type: 39,
    operation: 'embeddings',
    channel: { other: 'acc' },
    path: '/client/v4/accounts/acc/ai/v1/embeddings',
  },
  {
    type: 39,
    operation: 'images',
    channel: { other: 'acc' },
    path: `${run}m`,
    body: { prompt: 'a cat', width: 1024, height: 1024 },
    answer: () => new Response('picture', { headers: { 'content-type': 'image/png' } }),
    gives: { data: [{ b64_json: picture }] },
  },
  {
    type: 39,
    operation: 'speech',
    model: '@cf/myshell-ai/melotts',
    channel: { other: 'acc' },
    path: `${run}%40cf/myshell-ai/melotts`,
    body: { prompt: 'hello', lang: 'en' },
    answer: { result: { audio: Buffer.from('sound').toString('base64') }, success: true },
  },
  {
    type: 39,
    operation: 'transcriptions',
    model: '@cf/openai/whisper',
    channel: { other: 'acc' },
    path: `${run}%40cf/openai/whisper`,
    headers: { 'content-type': 'application/octet-stream' },
    text: 'bytes',
    answer: { result: { text: 'ok', word_count: 1, vtt: 'WEBVTT\n' }, success: true },
  },
  {
    type: 39,
    operation: 'transcriptions',
    model: '@cf/openai/whisper-large-v3-turbo',
    channel: { other: 'acc' },
    path: `${run}%40cf/openai/whisper-large-v3-turbo`,
    body: { audio: BYTES, task: 'transcribe' },
    answer: { result: { text: 'ok' }, success: true },
  },
  ...usual(40, {
    embeddings: '/v1/embeddings',
    speech: '/v1/audio/speech',
    transcriptions: '/v1/audio/transcriptions',
    rerank: '/v1/rerank',
  }),
  {
    type: 40,
    operation: 'completions',
    path: '/v1/completions',
    body: { model: 'm', prompt: 'hi', max_tokens: 5, messages: [{ role: 'user', content: '' }] },
  },
  {
    type: 40,
    operation: 'images',
    path: '/v1/images/generations',
    body: { model: 'm', prompt: 'a cat', batch_size: 1, image_size: '1024x1024' },
  },
  {
    type: 41,
    operation: 'embeddings',
    model: 'text-embedding-004',
    path: `${vertexRoot}text-embedding-004:predict`,
    body: { instances: [{ content: 'a' }, { content: 'b' }] },
    answer: {
      predictions: vectors.map((values) => ({ embeddings: { values, statistics: { token_count: 2 } } })),
    },
  },
  {
    type: 41,
    operation: 'count-tokens',
    model: 'gemini-2.5-pro',
    path: `${vertexRoot}gemini-2.5-pro:countTokens`,
    body: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: { maxOutputTokens: 1 },
    },
    answer: { totalTokens: 4 },
  },
  {
    type: 41,
    operation: 'count-tokens',
    model: 'claude-sonnet-4-20250514',
    path: '/v1/projects/proj/locations/us-central1/publishers/anthropic/models/count-tokens:rawPredict',
    body: {
      anthropic_version: 'vertex-2023-10-16',
      model: 'claude-sonnet-4@20250514',
      messages: [{ role: 'user', content: 'hi' }],
    },
  },
  {
    type: 41,
    operation: 'images',
    model: 'imagen-3.0-generate-002',
    path: `${vertexRoot}imagen-3.0-generate-002:predict`,
    body: {
      instances: [{ prompt: 'a cat' }],
      parameters: { sampleCount: 1, aspectRatio: '1:1', personGeneration: 'allow_adult' },
    },
    answer: { predictions: [{ bytesBase64Encoded: picture }] },
    gives: { data: [{ b64_json: picture }] },
  },
  ...usual(42, {
    completions: '/v1/fim/completions',
    embeddings: '/v1/embeddings',
    transcriptions: '/v1/audio/transcriptions',
    moderations: '/v1/moderations',
  }),
  ...usual(43, { completions: '/beta/completions' }),
  ...usual(44, { embeddings: '/embeddings' }),
  ...usual(45, {
    embeddings: '/api/v3/embeddings',
    images: '/api/v3/images/generations',
    rerank: '/api/v3/rerank',
  }),
  {
    type: 45,
    operation: 'image-edits',
    path: '/api/v3/images/generations',
    body: { model: 'm', prompt: 'a dog', image: PNG },
  },
  {
    type: 45,
    operation: 'speech',
    key: 'speech-app|speech-token',
    path: '/api/v1/tts',
    headers: { authorization: 'Bearer;speech-token' },
    answer: { code: 3000, message: 'Success', data: Buffer.from('sound').toString('base64') },
  },
  ...usual(46, {
    embeddings: '/v2/embeddings',
    images: '/v2/images/generations',
    'image-edits': '/v2/images/edits',
    rerank: '/v2/rerank',
  }),
  ...usual(47, {
    completions: '/v1/completions',
    embeddings: '/v1/embeddings',
    images: '/v1/images/generations',
    'image-edits': '/v1/images/inpainting',
    'image-variations': '/v1/images/variations',
    speech: '/v1/audio/speech',
    transcriptions: '/v1/audio/transcriptions',
    translations: '/v1/audio/translations',
    rerank: '/v1/rerank',
  }),
];
