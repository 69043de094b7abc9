import { plainName } from '../core/model-families.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { qianfanThoughts } from './thought-limits.ts';
import { floatEmbeddings } from './vendor-operation.ts';

/** The newer form of the key carries the application's id behind it: `key|appid`. */
const split = (key: string): { secret: string; appId: string } => {
  const [secret = '', appId = ''] = key.split('|');
  return { secret, appId };
};

const SEARCH = /-search$/;

export const qianfan = openaiCompatible({
  type: 46,
  slug: 'qianfan',
  label: 'Baidu Qianfan v2',
  systemRoleOnly: true,
  baseUrl: 'https://qianfan.baidubce.com',
  models: [
    'ernie-4.5-turbo-128k',
    'ernie-4.5-turbo-32k',
    'ernie-4.5-turbo-vl',
    'ernie-4.5-8k-preview',
    'ernie-5.0-thinking-preview',
    'ernie-x1-turbo-32k',
    'ernie-x1.1-preview',
    'ernie-4.0-8k',
    'ernie-4.0-turbo-8k',
    'ernie-4.0-turbo-128k',
    'ernie-3.5-8k',
    'ernie-3.5-128k',
    'ernie-speed-8k',
    'ernie-speed-128k',
    'ernie-speed-pro-128k',
    'ernie-lite-8k',
    'ernie-lite-pro-128k',
    'ernie-tiny-8k',
    'ernie-char-8k',
    'deepseek-v3',
    'deepseek-r1',
    'deepseek-v3.1-250821',
    'qwen3-235b-a22b',
    'embedding-v1',
    'bge-large-zh',
    'bge-large-en',
    'tao-8k',
    'bce-reranker-base',
    'irag-1.0',
  ],
  operations: ['chat', 'embeddings', 'images', 'image-edits', 'rerank'],
  // Vectors come as numbers only.
  dialects: { embeddings: [floatEmbeddings] },
  extensions: ['reasoning_content', 'enable_thinking'],
  thoughtLimit: qianfanThoughts,
  // GLM and Kimi go by `thinking` there, and DeepSeek's third thinks nothing unasked (cloud.baidu.com, Deep thinking).
  canSwitchThoughts: (model) => /^(?:qwen|ernie|deepseek-v3)/.test(plainName(model)),
  paths: {
    chat: '/v2/chat/completions',
    embeddings: '/v2/embeddings',
    images: '/v2/images/generations',
    'image-edits': '/v2/images/edits',
    rerank: '/v2/rerank',
  },
  modelsPath: '/v2/models',
  form: { keyHint: 'bce-v3/ALTAK-…/…' },
  authorise(key) {
    const { secret, appId } = split(key);
    return { authorization: `Bearer ${secret}`, ...(appId ? { appid: appId } : {}) };
  },
  adjustBody(body, { model }) {
    if (SEARCH.test(model)) {
      body.model = model.replace(SEARCH, '');
      body.web_search = { enable: true, enable_citation: true, enable_trace: true, enable_status: false };
    }
    return body;
  },
});
