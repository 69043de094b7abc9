import { openaiCompatible } from './openai-compatible.ts';

export const xinference = openaiCompatible({
  type: 47,
  slug: 'xinference',
  label: 'Xinference',
  systemRoleOnly: true,
  baseUrl: null,
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2', 'bge-m3', 'qwen2.5-instruct', 'qwen3'],
  operations: [
    'chat',
    'completions',
    'embeddings',
    'images',
    'image-edits',
    'image-variations',
    'speech',
    'transcriptions',
    'translations',
    'rerank',
  ],
  paths: { 'image-edits': '/v1/images/inpainting' },
  form: { keyHint: 'any', baseUrlHint: 'http://127.0.0.1:9997' },
});
