import { expect, test } from 'bun:test';
import { variantOf } from './model-variant.ts';

test.each([
  ['claude-sonnet-4-5-20250929-thinking', 'claude-sonnet-4-5-20250929', 'claude', { thinks: true }],
  ['anthropic/claude-opus-5-thinking', 'anthropic/claude-opus-5', 'claude', { thinks: true }],
  ['gemini-2.5-flash-thinking', 'gemini-2.5-flash', 'gemini', { thinks: true }],
  ['gemini-2.5-pro-thinking-2048', 'gemini-2.5-pro', 'gemini', { thinks: true, budget: 2048 }],
  ['gemini-2.5-flash-nothinking', 'gemini-2.5-flash', 'gemini', { thinks: false }],
  ['o3-high', 'o3', 'openai', { effort: 'high' }],
  ['o4-mini-low', 'o4-mini', 'openai', { effort: 'low' }],
  ['gpt-5-minimal', 'gpt-5', 'openai', { effort: 'minimal' }],
  ['gpt-5.1-codex-medium', 'gpt-5.1-codex', 'openai', { effort: 'medium' }],
] as const)('%s asks something of a model', (name, base, family, wish) => {
  expect(variantOf(name)).toEqual({ base, family, wish });
});

test.each([
  'gpt-4o',
  'claude-sonnet-4-5',
  'kimi-k2-thinking',
  'gemini-2.0-flash-thinking-exp',
  'gemini-2.5-flash-preview',
  'gemini-3-pro-thinking',
  'gpt-4o-high',
  'o3-max',
  'high',
  '-thinking',
  'some-model-low',
])('%s is the name of a model', (name) => {
  expect(variantOf(name)).toBeNull();
});
