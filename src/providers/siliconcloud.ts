import { isObject } from '../core/json.ts';
import { isAbsent } from '../dialects/bounds.ts';
import { siliconBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { siliconThoughts } from './thought-limits.ts';

export const siliconcloud = openaiCompatible({
  type: 40,
  slug: 'siliconflow',
  label: 'SiliconCloud',
  systemRoleOnly: true,
  baseUrl: 'https://api.siliconflow.cn',
  models: [
    'deepseek-ai/DeepSeek-V3',
    'deepseek-ai/DeepSeek-V3.1',
    'deepseek-ai/DeepSeek-R1',
    'Pro/deepseek-ai/DeepSeek-V3',
    'Pro/deepseek-ai/DeepSeek-R1',
    'Qwen/Qwen3-235B-A22B-Instruct-2507',
    'Qwen/Qwen3-Coder-480B-A35B-Instruct',
    'Qwen/Qwen3-32B',
    'Qwen/Qwen3-8B',
    'Qwen/Qwen2.5-72B-Instruct',
    'Qwen/Qwen2.5-7B-Instruct',
    'Qwen/QwQ-32B',
    'Qwen/Qwen2.5-VL-72B-Instruct',
    'moonshotai/Kimi-K2-Instruct',
    'zai-org/GLM-4.5',
    'zai-org/GLM-4.6',
    'THUDM/GLM-4-9B-0414',
    'tencent/Hunyuan-A13B-Instruct',
    'BAAI/bge-m3',
    'BAAI/bge-large-zh-v1.5',
    'Qwen/Qwen3-Embedding-8B',
    'BAAI/bge-reranker-v2-m3',
    'Qwen/Qwen3-Reranker-8B',
    'netease-youdao/bce-embedding-base_v1',
    'Kwai-Kolors/Kolors',
    'FunAudioLLM/CosyVoice2-0.5B',
    'fnlp/MOSS-TTSD-v0.5',
    'FunAudioLLM/SenseVoiceSmall',
  ],
  operations: ['chat', 'completions', 'embeddings', 'images', 'speech', 'transcriptions', 'rerank'],
  balance: siliconBalance,
  extensions: ['reasoning_content', 'enable_thinking', 'top_k', 'min_p'],
  thoughtLimit: siliconThoughts,
  adjustBody(body, { operation }) {
    // The call wants messages, though it goes on with a text.
    if (operation === 'completions') body.messages ??= [{ role: 'user', content: '' }];
    if (operation === 'images') {
      // Nothing but what is held for: its words are no fields of callers.
      const { n, size, image_size: _, ...rest } = body;
      return { ...rest, batch_size: n ?? 1, ...(isAbsent(size) ? {} : { image_size: size }) };
    }
    return body;
  },
  // `{"code":20012,"message":"…","data":null}`, or a bare JSON string.
  readFault(_status, body) {
    if (typeof body === 'string') return { error: { message: body } };
    if (!isObject(body) || typeof body.message !== 'string') return null;
    const code = String(body.code ?? '');
    return { error: { message: body.message, code }, ...(code === '30001' && { keyDead: true }) };
  },
});
