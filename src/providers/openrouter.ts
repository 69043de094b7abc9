import { isObject, type JsonObject } from '../core/json.ts';
import { openrouterBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** OpenRouter groups everything about thinking in one object; usage comes without asking. */
function adjustBody(body: JsonObject): JsonObject {
  const reasoning: JsonObject = isObject(body.reasoning) ? { ...(body.reasoning as JsonObject) } : {};
  if (body.reasoning_effort !== undefined) {
    reasoning.effort ??= body.reasoning_effort;
    delete body.reasoning_effort;
  }
  if (isObject(body.thinking)) {
    const { budget_tokens: budget, type } = body.thinking as JsonObject;
    if (budget !== undefined) reasoning.max_tokens ??= budget;
    else if (type === 'enabled') reasoning.enabled ??= true;
    delete body.thinking;
  }
  if (Object.keys(reasoning).length > 0) body.reasoning = reasoning;
  return body;
}

export const openrouter = openaiCompatible({
  type: 20,
  slug: 'openrouter',
  label: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  models: [
    'openai/gpt-5',
    'anthropic/claude-sonnet-4.5',
    'google/gemini-2.5-pro',
    'deepseek/deepseek-chat-v3.1',
    'qwen/qwen3-235b-a22b',
    'moonshotai/kimi-k2',
    'x-ai/grok-4',
    'z-ai/glm-4.6',
  ],
  operations: ['chat', 'completions', 'embeddings'],
  messagesPath: '/v1/messages',
  // A preset, alone or behind a model: prompts and settings of the account.
  isKept: (model) => model.includes('@preset/'),
  balance: openrouterBalance,
  streamUsage: false,
  extensions: ['top_k', 'min_p', 'repetition_penalty', 'reasoning_details', 'cache_control'],
  form: { keyHint: 'sk-or-…' },
  // Its rankings name the sites that call; a header holds plain letters only.
  headers: ({ channel: { site } }): Record<string, string> => ({
    'x-title': encodeURI(site.name),
    ...(site.address ? { 'http-referer': site.address } : {}),
  }),
  adjustBody,
});
