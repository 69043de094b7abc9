import { isObject } from '../core/json.ts';
import { cohere as cohereChat } from '../dialects/cohere/wire.ts';
import type { Operation } from '../dialects/dialect.ts';
import { cohereEmbed } from '../dialects/plain/cohere-embed.ts';
import { cohereRerank } from '../dialects/plain/openai-rerank.ts';
import { bearer } from './openai-compatible.ts';
import type { Provider } from './provider.ts';

const PATHS: Readonly<Partial<Record<Operation, string>>> = {
  chat: '/v2/chat',
  embeddings: '/v2/embed',
  rerank: '/v2/rerank',
};

export const cohere: Provider = {
  type: 34,
  slug: 'cohere',
  label: 'Cohere',
  baseUrl: 'https://api.cohere.ai',
  speaks: { chat: [cohereChat], embeddings: [cohereEmbed], rerank: [cohereRerank] },
  streamUsage: true,
  form: { keyHint: 'API key', baseUrl: 'optional' },
  models: [
    'command-a-03-2025',
    'command-a-vision-07-2025',
    'command-a-reasoning-08-2025',
    'command-r7b-12-2024',
    'command-r-08-2024',
    'command-r-plus-08-2024',
    'command-r',
    'command-r-plus',
    'c4ai-aya-expanse-32b',
    'embed-v4.0',
    'embed-multilingual-v3.0',
    'embed-english-v3.0',
    'rerank-v3.5',
    'rerank-v4.0-pro',
    'rerank-english-v3.0',
    'rerank-multilingual-v3.0',
  ],
  prepare: ({ channel, operation, stream }) => ({
    method: 'POST',
    url: channel.baseUrl + (PATHS[operation] ?? ''),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      ...bearer(channel.key),
    },
  }),
  // 498 is Cohere's own status for a key that is no good.
  readFault(status, body) {
    if (!isObject(body) || typeof body.message !== 'string') return null;
    return { error: { message: body.message }, ...(status === 498 && { status: 401 }) };
  },
  listModels: (channel) => ({
    request: {
      method: 'GET',
      url: `${channel.baseUrl}/v1/models?page_size=1000`,
      headers: bearer(channel.key),
    },
    read: (body) =>
      (isObject(body) && Array.isArray(body.models) ? body.models : []).flatMap((model: unknown) =>
        isObject(model) && typeof model.name === 'string' ? [model.name] : [],
      ),
  }),
};
