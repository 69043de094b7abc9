import type { JsonObject } from '../../core/json.ts';
import { thinkingOf } from '../../core/thinkers.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { pricedAbroad } from '../price-notice.ts';
import { dashscopeThoughts } from '../thought-limits.ts';
import { floatEmbeddings } from '../vendor-operation.ts';
import { alibabaError, DEAD_CODES } from './errors.ts';
import { imageEdits, images, isTask } from './images.ts';
import { alibabaRerank } from './rerank.ts';
import { films, videos } from './videos.ts';

/** The open-weight Qwen 3 models think by default, which they can do in streams only. */
const isOpenWeight = (model: string): boolean =>
  /^qwen3-(\d|coder-\d)/.test(model) && thinkingOf(model) !== 'always';

/** DashScope refuses a `top_p` at the ends of its range. */
function adjustBody(body: JsonObject, stream: boolean): JsonObject {
  if (typeof body.top_p === 'number') body.top_p = Math.min(Math.max(body.top_p, 0.001), 0.999);
  if (typeof body.model === 'string' && isOpenWeight(body.model) && !stream) body.enable_thinking ??= false;
  return body;
}

export const alibaba = openaiCompatible({
  type: 17,
  slug: 'ali',
  label: 'Alibaba Qwen (DashScope)',
  systemRoleOnly: true,
  baseUrl: 'https://dashscope.aliyuncs.com',
  models: [
    'qwen-max',
    'qwen-plus',
    'qwen-turbo',
    'qwen-flash',
    'qwen-long',
    'qwen3.8-max',
    'qwen3.8-flash',
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
  operations: ['chat', 'completions', 'embeddings', 'images', 'image-edits', 'rerank', 'task'],
  dialects: { embeddings: [floatEmbeddings], rerank: [alibabaRerank] },
  own: { images, 'image-edits': imageEdits, task: videos },
  tasks: films,
  messagesPath: '/apps/anthropic/v1/messages',
  extensions: ['reasoning_content', 'enable_thinking', 'top_k', 'repetition_penalty', 'video_url'],
  paths: {
    chat: '/compatible-mode/v1/chat/completions',
    completions: '/compatible-mode/v1/completions',
    embeddings: '/compatible-mode/v1/embeddings',
    rerank: '/api/v1/services/rerank/text-rerank/text-rerank',
  },
  modelsPath: '/compatible-mode/v1/models',
  form: {
    other: { label: { zh: '插件 ID', en: 'Plug-in id' }, hint: 'X-DashScope-Plugin' },
    notice: pricedAbroad(
      { zh: '通义千问', en: 'Qwen' },
      { zh: '阿里云国际站（新加坡）', en: 'those of Alibaba Cloud International (Singapore)' },
      'dashscope.aliyuncs.com',
    ),
  },
  otherIsKept: true,
  headers: (call): Record<string, string> => ({
    ...(call.stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(isTask(call) || call.operation === 'task' ? { 'x-dashscope-async': 'enable' } : {}),
    ...(call.channel.other ? { 'x-dashscope-plugin': call.channel.other } : {}),
  }),
  // Those that can think in streams only are told not to in others.
  thoughtLimit: (on) => (isOpenWeight(on.model) && !on.stream ? null : dashscopeThoughts(on)),
  adjustBody: (body, { operation, stream }) => (operation === 'chat' ? adjustBody(body, stream) : body),
  readFault(_status, body) {
    const told = alibabaError(body);
    return told && { error: told.error, ...(DEAD_CODES.has(told.error.code ?? '') && { keyDead: true }) };
  },
  readAnswerError: alibabaError,
});
