import { expect, it } from 'bun:test';
import type { ThoughtPlace } from './provider.ts';
import { findProvider } from './registry.ts';

it.each<[type: number, place: Partial<ThoughtPlace>, limit: string | null]>([
  [1, { model: 'own-name', baseUrl: 'https://api.openai.com' }, null],
  [1, { model: 'qwen-plus', baseUrl: 'https://gateway.example' }, 'unknown'],
  [1, { model: 'gpt-4o', baseUrl: 'https://gateway.example' }, 'max_completion_tokens'],
  [1, { model: 'openai/gpt-oss-120b', baseUrl: 'https://gateway.example' }, 'unknown'],
  [1, { model: 'gpt-5', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'claude-sonnet-4-5', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'us.anthropic.claude-sonnet-4-5', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'qwen3-14b-claude-4.5-distill', baseUrl: 'https://gateway.example' }, 'unknown'],
  [1, { model: 'google/gemini-3-pro-preview', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'us.openai.o3', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'gemini-own-name', baseUrl: 'https://gateway.example' }, 'unknown'],
  [1, { model: 'gpt-own-name', baseUrl: 'https://gateway.example' }, 'max_completion_tokens'],
  [1, { model: 'qwen3-14b-gemini-2.5-distill', baseUrl: 'https://gateway.example' }, 'unknown'],
  [1, { model: 'qwen-plus', baseUrl: 'https://gateway.example', dialect: 'openai-responses' }, null],
  [8, { model: 'qwen-plus' }, 'unknown'],
  [1, { model: 'own-name', baseUrl: 'https://api.openai.com/v1' }, null],
  [1, { model: 'own-name', baseUrl: 'https://api.openai.com.example' }, 'unknown'],
  [1, { model: 'own-name', baseUrl: 'https://api.openai.com@gateway.example' }, 'unknown'],
  [1, { model: 'deepseek-reasoner', baseUrl: 'https://api.deepseek.com' }, 'max_tokens'],
  [1, { model: 'kimi-k2-thinking', baseUrl: 'https://api.moonshot.ai' }, 'max_tokens'],
  [8, { model: 'qwen/qwen3-32b', baseUrl: 'https://api.groq.com/openai/v1/chat/completions' }, null],
  [1, { model: 'qwen-plus', baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode' }, 'apart'],
  [1, { model: 'deepseek-r1', baseUrl: 'https://api.siliconflow.cn' }, 'none'],
  [1, { model: 'ep-20260101', baseUrl: 'https://ark.cn-beijing.volces.com/api/v3' }, 'max_completion_tokens'],
  [1, { model: 'seed-9', baseUrl: 'https://ark.eu-west.bytepluses.com/api/v3' }, 'max_completion_tokens'],
  [1, { model: 'kimi-k3', baseUrl: 'https://dashscope-us.aliyuncs.com/compatible-mode' }, 'none'],
  // Whoever rents a machine there runs what he likes on it.
  [1, { model: 'qwen3-8b', baseUrl: 'https://1.cn-beijing.pai-eas.aliyuncs.com' }, 'unknown'],
  [17, { model: 'qwen-plus' }, 'apart'],
  [17, { model: 'qwen-plus', dialect: 'anthropic-messages' }, 'apart'],
  [17, { model: 'qwen3-32b' }, null],
  [17, { model: 'qwen3-32b', stream: true }, 'apart'],
  [17, { model: 'deepseek-r1' }, 'none'],
  [17, { model: 'deepseek-r1-distill-qwen-32b' }, 'none'],
  [40, { model: 'Qwen/Qwen3-32B' }, 'apart'],
  [40, { model: 'deepseek-ai/DeepSeek-R1' }, 'none'],
  [40, { model: 'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B' }, 'none'],
  [43, { model: 'deepseek-reasoner' }, null],
  [45, { model: 'doubao-seed-1-6' }, 'max_completion_tokens'],
  [45, { model: 'doubao-seed-1-6', dialect: 'openai-responses' }, null],
  [46, { model: 'deepseek-v3.2-think' }, 'none'],
])('a provider of type %p says how it is told how much to think: %j', (type, place, limit) => {
  const on = { dialect: 'openai-chat', model: 'm', baseUrl: '', stream: false, ...place } as const;
  expect(findProvider(type)?.thoughtLimit?.(on) ?? null).toBe(limit as never);
});
