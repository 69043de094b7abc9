import { openaiCompatible } from './openai-compatible.ts';
import { floatEmbeddings } from './vendor-operation.ts';

export const zhinao = openaiCompatible({
  type: 19,
  slug: 'ai360',
  label: '360',
  systemRoleOnly: true,
  baseUrl: 'https://api.360.cn',
  models: [
    '360gpt-turbo',
    '360gpt-turbo-responsibility-8k',
    '360gpt-pro',
    '360gpt2-pro',
    '360gpt2-o1',
    '360zhinao2-o1',
    '360GPT_S2_V9',
    'embedding-bert-512-v1',
    'embedding_s1_v1',
    'semantic_similarity_s1_v1',
  ],
  operations: ['chat', 'embeddings'],
  // Vectors come as numbers only.
  dialects: { embeddings: [floatEmbeddings] },
  streamUsage: false,
});
