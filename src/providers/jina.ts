import { isObject } from '../core/json.ts';
import { openaiCompatible, rename } from './openai-compatible.ts';

export const jina = openaiCompatible({
  type: 38,
  slug: 'jina',
  label: 'Jina',
  baseUrl: 'https://api.jina.ai',
  models: [
    'jina-embeddings-v4',
    'jina-embeddings-v3',
    'jina-embeddings-v2-base-zh',
    'jina-clip-v2',
    'jina-clip-v1',
    'jina-colbert-v2',
    'jina-code-embeddings-1.5b',
    'jina-reranker-v3',
    'jina-reranker-m0',
    'jina-reranker-v2-base-multilingual',
  ],
  operations: ['embeddings', 'rerank'],
  modelsPath: null,
  form: { keyHint: 'jina_…' },
  adjustBody(body, { operation }) {
    // Strict models answer 422 to OpenAI's name of the field.
    if (operation === 'embeddings') rename(body, 'encoding_format', 'embedding_type');
    return body;
  },
  readFault(_status, body) {
    if (!isObject(body) || typeof body.detail !== 'string') return null;
    return { error: { message: body.detail } };
  },
});
