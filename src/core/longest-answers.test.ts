import { expect, it } from 'bun:test';
import { longestAnswerOf } from './longest-answers.ts';

it.each<[model: string, tokens: number | undefined]>([
  ['gpt-4o', 16_384],
  ['openai/gpt-4o-mini-2024-07-18', 16_384],
  ['chatgpt-4o-latest', 16_384],
  ['gpt-4o-2024-05-13', 4_096],
  ['gpt-4.1', 32_768],
  ['gpt-4.1-nano', 32_768],
  ['gpt-4', undefined],
  ['gpt-4.5-preview', undefined],
  ['gpt-6.1-sol', undefined],
  ['my-gpt-4o', undefined],
])('%s answers with at most %p tokens', (model, tokens) => expect(longestAnswerOf(model)).toBe(tokens));
