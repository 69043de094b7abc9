import { expect, it } from 'bun:test';
import { findProvider } from './registry.ts';

it.each([
  [1, 'gpt-5', 'https://api.openai.com', 1000],
  [1, 'gpt-5', '', 1000],
  [1, 'gpt-5', 'https://gateway.example/v1', 1000],
  [1, 'grok-4', '', null],
  [1, 'x-ai/grok-4', 'https://gateway.example', null],
  [1, 'own-name', 'https://api.x.ai', null],
  [1, 'own-name', 'https://us-east-1.api.x.ai:443/v1', null],
  [1, 'own-name', 'https://api.max.ai', 1000],
  [1, 'openai/gpt-5.2', 'https://api.perplexity.ai', null],
  [3, 'gpt-5', 'https://a.openai.azure.com', 1000],
  [14, 'claude-sonnet-4-5', '', 1000],
  [45, 'doubao-seed-1-6', '', 10],
  [20, 'openai/gpt-5', '', null],
  [43, 'deepseek-chat', '', null],
])('a provider of type %p says what limit of tools it takes for %p at %p', (type, model, baseUrl, most) => {
  expect(findProvider(type)?.toolLimit?.({ model, baseUrl }) ?? null).toBe(most);
});
