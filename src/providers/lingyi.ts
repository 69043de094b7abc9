import { openaiCompatible } from './openai-compatible.ts';

export const lingyi = openaiCompatible({
  type: 31,
  slug: 'lingyiwanwu',
  label: 'Lingyi (01.AI)',
  systemRoleOnly: true,
  baseUrl: 'https://api.lingyiwanwu.com',
  models: [
    'yi-lightning',
    'yi-large',
    'yi-medium',
    'yi-vision',
    'yi-vision-v2',
    'yi-medium-200k',
    'yi-spark',
    'yi-large-rag',
    'yi-large-turbo',
    'yi-large-preview',
    'yi-large-rag-preview',
  ],
  operations: ['chat'],
  streamUsage: false,
});
