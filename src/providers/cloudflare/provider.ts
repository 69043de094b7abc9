import { isObject } from '../../core/json.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import type { ChannelAccess, Provider } from '../provider.ts';
import { floatEmbeddings } from '../vendor-operation.ts';
import { completions, images, speech, transcriptions } from './run.ts';

const root = (channel: Pick<ChannelAccess, 'baseUrl' | 'other'>): string =>
  `${channel.baseUrl}/client/v4/accounts/${encodeURIComponent(channel.other)}/ai`;

const compatible = openaiCompatible({
  type: 39,
  slug: 'cloudflare',
  label: 'Cloudflare Workers AI',
  systemRoleOnly: true,
  baseUrl: 'https://api.cloudflare.com',
  models: [
    '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
    '@cf/meta/llama-4-scout-17b-16e-instruct',
    '@cf/meta/llama-3.1-8b-instruct',
    '@cf/openai/gpt-oss-120b',
    '@cf/openai/gpt-oss-20b',
    '@cf/qwen/qwen2.5-coder-32b-instruct',
    '@cf/qwen/qwq-32b',
    '@cf/qwen/qwen3-30b-a3b-fp8',
    '@cf/deepseek-ai/deepseek-r1-distill-qwen-32b',
    '@cf/mistralai/mistral-small-3.1-24b-instruct',
    '@cf/google/gemma-3-12b-it',
    '@cf/baai/bge-m3',
    '@cf/baai/bge-large-en-v1.5',
    '@cf/openai/whisper',
    '@cf/openai/whisper-large-v3-turbo',
    '@cf/black-forest-labs/flux-1-schnell',
    '@cf/myshell-ai/melotts',
  ],
  operations: ['chat', 'completions', 'embeddings', 'images', 'speech', 'transcriptions'],
  dialects: { embeddings: [floatEmbeddings] },
  own: { completions, images, speech, transcriptions },
  form: {
    keyHint: 'API token',
    other: { label: { zh: '账户 ID', en: 'Account id' }, hint: 'd6b5da8hk1awo8nap34ube6gh' },
  },
  url: ({ channel }, path) => `${root(channel)}${path}`,
  // `{"success":false,"errors":[{"code":7003,"message":"…"}]}`
  readFault(_status, body) {
    const first: unknown = isObject(body) && Array.isArray(body.errors) ? body.errors[0] : null;
    if (!isObject(first) || typeof first.message !== 'string') return null;
    const code = String(first.code ?? '');
    return { error: { message: first.message, code }, ...(code === '10000' && { keyDead: true }) };
  },
});

export const cloudflare: Provider = {
  ...compatible,
  listModels: (channel) => ({
    request: {
      method: 'GET',
      url: `${root(channel)}/models/search?per_page=200`,
      headers: { authorization: `Bearer ${channel.key}` },
    },
    read: (body) =>
      (isObject(body) && Array.isArray(body.result) ? body.result : []).flatMap((model: unknown) =>
        isObject(model) && typeof model.name === 'string' ? [model.name] : [],
      ),
  }),
};
