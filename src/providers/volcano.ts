import { developerToSystem, openaiCompatible } from './openai-compatible.ts';

export const volcano = openaiCompatible({
  type: 45,
  slug: 'volcengine',
  label: 'Volcano Ark / Doubao',
  baseUrl: 'https://ark.cn-beijing.volces.com',
  models: [
    'doubao-seed-1-6',
    'doubao-seed-1-6-flash',
    'doubao-seed-1-6-thinking',
    'doubao-1-5-pro-32k',
    'doubao-1-5-pro-256k',
    'doubao-1-5-lite-32k',
    'doubao-1-5-vision-pro-32k',
    'doubao-1-5-thinking-pro',
    'Doubao-pro-128k',
    'Doubao-pro-32k',
    'Doubao-pro-4k',
    'Doubao-lite-128k',
    'Doubao-lite-32k',
    'Doubao-lite-4k',
    'Doubao-embedding',
    'doubao-embedding-large-text',
    'doubao-seedream-4-0',
    'deepseek-r1',
    'deepseek-v3',
    'deepseek-v3-1',
    'kimi-k2',
  ],
  operations: ['chat', 'embeddings', 'images', 'rerank'],
  paths: {
    chat: '/api/v3/chat/completions',
    embeddings: '/api/v3/embeddings',
    images: '/api/v3/images/generations',
    rerank: '/api/v3/rerank',
  },
  modelsPath: '/api/v3/models',
  // Bots are chats with tools of the operator's making, under a path of their own.
  url: ({ channel, model, operation }, path) =>
    channel.baseUrl +
    (operation === 'chat' && model.startsWith('bot') ? '/api/v3/bots/chat/completions' : path),
  extensions: ['reasoning_content', 'thinking'],
  adjustBody(body) {
    developerToSystem(body);
    return body;
  },
});
