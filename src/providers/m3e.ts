import { openaiCompatible } from './openai-compatible.ts';
import { floatEmbeddings } from './vendor-operation.ts';

export const m3e = openaiCompatible({
  type: 44,
  slug: 'mokaai',
  label: 'M3E (MokaAI)',
  baseUrl: 'https://api.moka.ai',
  models: ['m3e-large', 'm3e-base', 'm3e-small'],
  operations: ['embeddings'],
  // Vectors come as numbers only.
  dialects: { embeddings: [floatEmbeddings] },
  paths: { embeddings: '/embeddings' },
  modelsPath: null,
  adjustBody(body) {
    if (!Array.isArray(body.input)) body.input = body.input === undefined ? [] : [body.input];
    return body;
  },
});
