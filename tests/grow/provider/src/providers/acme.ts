import { openaiCompatible } from './openai-compatible.ts';

export const acme = openaiCompatible({
  type: 990,
  slug: 'acme',
  label: 'Acme',
  baseUrl: 'https://api.acme.example',
  models: ['acme-large', 'acme-small'],
  operations: ['chat', 'embeddings'],
});
