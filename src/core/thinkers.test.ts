import { expect, test } from 'bun:test';
import { alwaysThinks, thinksUnlessTold, thinksUnseen } from './thinkers.ts';

test.each([
  'o1',
  'o3-mini',
  'o4-mini-high',
  'gpt-5',
  'gpt-5.1-codex',
  'openai/gpt-5-mini',
  'codex-mini-latest',
  'gemini-2.5-pro',
  'google/gemini-3-pro-preview',
  'grok-4-fast',
  'grok-3-mini',
  'x-ai/grok-4',
  'us.openai.o3',
  'gemini-flash-latest',
  'gemini-flash-lite-latest',
  'google/gemini-pro-latest',
  'computer-use-preview',
  'openai/computer-use-preview-2025-03-11',
  'sonar-deep-research',
  'o3-deep-research',
  'openrouter/auto',
  'gpt-5.1-chat-latest',
  'openai/gpt-5.2-chat',
])('%s does not show what it thinks', (model) => {
  expect(thinksUnseen(model)).toBe(true);
});

test.each([
  'gpt-4o',
  'gpt-4.1',
  'gpt-5-chat-latest',
  'chatgpt-4o-latest',
  'gpt-oss-120b',
  'gemini-2.0-flash',
  'gemini-1.5-pro',
  'grok-3',
  'claude-sonnet-4-5',
  'deepseek-reasoner',
  'qwen3-max',
  'o200k',
  'polo3',
])('%s has no thoughts, or shows them', (model) => {
  expect(thinksUnseen(model)).toBe(false);
});

test.each([
  ['qwq-plus', true, false],
  ['deepseek-ai/DeepSeek-R1', true, false],
  ['deepseek-reasoner', true, false],
  ['qwen3-235b-a22b-thinking-2507', true, true],
  ['Qwen/Qwen3-32B', false, true],
  ['qwen3.5-plus', false, true],
  ['doubao-seed-1-6-flash', false, true],
  ['ep-20250101-abcde', false, true],
  ['glm-4.6', false, true],
  ['ByteDance-Seed/Seed-OSS-36B-Instruct', true, false],
  ['inclusionAI/Ring-flash-2.0', true, false],
  ['stepfun-ai/step3', true, false],
  ['step-3.5-flash', true, false],
  ['openai/gpt-oss-120b', true, false],
  ['magistral-medium-latest', true, false],
  ['inclusionAI/Ling-3.0-flash', false, true],
  ['deepcogito/cogito-v2-1-671b', false, true],
  ['inclusionAI/Ling-1T', false, false],
  ['string-ring', false, false],
  ['qwen3-235b-a22b-instruct-2507', false, false],
  ['qwen3-max', false, false],
  ['qwen-plus', false, false],
  ['doubao-1-5-pro-32k', false, false],
  ['deepseek-chat', false, false],
  ['deepseek-v3.1', false, false],
  ['gpt-4o', false, false],
])('%s thinks whatever it is told: %p, or unless it is told not to: %p', (model, always, unlessTold) => {
  expect([alwaysThinks(model), thinksUnlessTold(model)]).toEqual([always, unlessTold]);
});
