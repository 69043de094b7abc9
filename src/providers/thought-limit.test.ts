import { expect, it } from 'bun:test';
import type { ThoughtPlace } from './provider.ts';
import { findProvider } from './registry.ts';

it.each<[type: number, place: Partial<ThoughtPlace>, limit: string | null]>([
  [1, { model: 'own-name', baseUrl: 'https://api.openai.com' }, null],
  [1, { model: 'qwen-plus', baseUrl: 'https://gateway.example' }, 'none'],
  [1, { model: 'gpt-4o', baseUrl: 'https://gateway.example' }, 'together'],
  [1, { model: 'openai/gpt-oss-120b', baseUrl: 'https://gateway.example' }, 'none'],
  [1, { model: 'gpt-5', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'claude-sonnet-4-5', baseUrl: 'https://gateway.example' }, null],
  [1, { model: 'qwen-plus', baseUrl: 'https://gateway.example', dialect: 'openai-responses' }, null],
  [8, { model: 'qwen-plus' }, 'none'],
  [17, { model: 'qwen-plus' }, 'apart'],
  [17, { model: 'qwen-plus', dialect: 'anthropic-messages' }, 'apart'],
  [17, { model: 'qwen3-32b' }, null],
  [17, { model: 'qwen3-32b', stream: true }, 'apart'],
  [17, { model: 'deepseek-r1' }, 'none'],
  [40, { model: 'Qwen/Qwen3-32B' }, 'apart'],
  [40, { model: 'deepseek-ai/DeepSeek-R1' }, 'none'],
  [43, { model: 'deepseek-reasoner' }, null],
  [45, { model: 'doubao-seed-1-6' }, 'together'],
  [45, { model: 'doubao-seed-1-6', dialect: 'openai-responses' }, null],
])('a provider of type %p says how it is told how much to think: %j', (type, place, limit) => {
  const on = { dialect: 'openai-chat', model: 'm', baseUrl: '', stream: false, ...place } as const;
  expect(findProvider(type)?.thoughtLimit?.(on) ?? null).toBe(limit as never);
});
