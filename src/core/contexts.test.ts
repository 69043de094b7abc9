import { expect, it } from 'bun:test';
import { contextOf } from './contexts.ts';

it.each([
  ['gpt-3.5-turbo-0125', 16_385],
  ['gpt-4', 8_192],
  ['gpt-4-0613', 8_192],
  ['gpt-4-32k-0613', 32_768],
  ['gpt-4-turbo-2024-04-09', 128_000],
  ['gpt-4o-mini', 128_000],
  ['openai/gpt-4o', 128_000],
  ['gpt-4.1-mini', 1_048_576],
  ['o3-2025-04-16', 200_000],
  ['o3-deep-research', 200_000],
  ['gpt-5', 400_000],
  ['gpt-5.2-codex', 400_000],
  ['gpt-5.4', 1_048_576],
  ['claude-3-7-sonnet-latest', 200_000],
  ['claude-opus-4-1-20250805', 200_000],
  ['claude-sonnet-4-5', 1_048_576],
  ['claude-opus-4-6', 1_048_576],
  ['gemini-1.5-pro', 2_097_152],
  ['gemini-2.5-flash', 1_048_576],
  ['grok-4', 262_144],
  ['grok-4-1-fast', 2_097_152],
  ['moonshot-v1-128k-vision-preview', 131_072],
  ['Doubao-pro-32k', 32_768],
  ['yi-medium-200k', 204_800],
  ['jina-embeddings-v4', 32_768],
  ['jina-reranker-m0', 10_240],
  ['jina-clip-v2', 8_192],
  ['voyage-multimodal-3.5', 32_768],
  ['gemini-embedding-001', 2_048],
  ['gemini-embedding-2-preview', 8_192],
  ['of-the-future', 1_048_576],
])('%s reads so many tokens at once: %p', (model, tokens) => {
  expect(contextOf(model)).toBe(tokens);
});
