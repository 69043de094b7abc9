import { isObject, type JsonObject } from '../core/json.ts';
import { developerToSystem, openaiCompatible } from './openai-compatible.ts';

/** DashScope refuses a `top_p` at the ends of its range. */
function adjustBody(body: JsonObject, stream: boolean): JsonObject {
  developerToSystem(body);
  if (typeof body.top_p === 'number') body.top_p = Math.min(Math.max(body.top_p, 0.001), 0.999);
  // The open-weight Qwen 3 models think by default, which they can do in streams only.
  const openWeight = typeof body.model === 'string' && /^qwen3-(\d|coder-\d)/.test(body.model);
  if (openWeight && !stream) body.enable_thinking ??= false;
  return body;
}

/** Codes of the native calls for a key that is finished. */
const DEAD = new Set(['InvalidApiKey', 'Arrearage', 'AccessDenied.Unpurchased']);

export const alibaba = openaiCompatible({
  type: 17,
  slug: 'ali',
  label: 'Alibaba Qwen (DashScope)',
  baseUrl: 'https://dashscope.aliyuncs.com',
  models: [
    'qwen-max',
    'qwen-plus',
    'qwen-turbo',
    'qwen-flash',
    'qwen-long',
    'qwen3-max',
    'qwen3-coder-plus',
    'qwen3-235b-a22b',
    'qwen3-32b',
    'qwen-vl-max',
    'qwen-vl-plus',
    'qwen3-vl-plus',
    'qvq-max',
    'qwq-plus',
    'qwen-mt-plus',
    'deepseek-v3',
    'deepseek-r1',
    'text-embedding-v1',
    'text-embedding-v3',
    'text-embedding-v4',
    'gte-rerank-v2',
    'qwen3-rerank',
    'wanx2.1-t2i-turbo',
    'wan2.2-t2i-flash',
    'qwen-image',
    'qwen-image-edit',
  ],
  operations: ['chat', 'completions', 'embeddings'],
  extensions: ['reasoning_content', 'enable_thinking', 'top_k', 'repetition_penalty', 'video_url'],
  paths: {
    chat: '/compatible-mode/v1/chat/completions',
    completions: '/compatible-mode/v1/completions',
    embeddings: '/compatible-mode/v1/embeddings',
  },
  modelsPath: '/compatible-mode/v1/models',
  form: {
    other: { label: { zh: '插件 ID', en: 'Plug-in id' }, hint: 'X-DashScope-Plugin' },
  },
  headers: ({ channel, stream }): Record<string, string> => ({
    ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(channel.other ? { 'x-dashscope-plugin': channel.other } : {}),
  }),
  adjustBody: (body, { stream }) => adjustBody(body, stream),
  readFault(status, body) {
    if (!isObject(body) || typeof body.code !== 'string' || typeof body.message !== 'string') return null;
    return {
      error: { message: body.message, code: body.code },
      keyDead: status === 401 || DEAD.has(body.code),
    };
  },
});
