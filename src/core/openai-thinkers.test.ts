import { expect, it } from 'bun:test';
import { effortFor, isThinkerFrom, takesStops, thinksAt } from './openai-thinkers.ts';

it.each<[string, none: string, minimal: string, xhigh: string, max: string]>([
  ['o3', 'low', 'low', 'high', 'high'],
  ['openai/gpt-5-mini', 'minimal', 'minimal', 'high', 'high'],
  ['gpt-5-codex', 'low', 'low', 'high', 'high'],
  ['gpt-5.1', 'none', 'low', 'high', 'high'],
  ['gpt-5.1-codex-max', 'low', 'low', 'xhigh', 'xhigh'],
  ['gpt-5.5', 'none', 'low', 'xhigh', 'xhigh'],
  ['gpt-5.6-terra', 'none', 'low', 'xhigh', 'max'],
  ['gpt-6-sol', 'none', 'low', 'xhigh', 'max'],
  ['gpt-6-sol-pro', 'low', 'low', 'xhigh', 'max'],
  ['gpt-5.6-terra-codex', 'low', 'low', 'xhigh', 'max'],
  ['gpt-6-sol-production', 'none', 'low', 'xhigh', 'max'],
  ['gpt-6-astra', 'low', 'low', 'xhigh', 'max'],
  ['openai/gpt-6.1-sol', 'low', 'low', 'xhigh', 'max'],
  ['gpt-6.1-terra', 'none', 'low', 'xhigh', 'max'],
  ['gpt-6.2-sol', 'low', 'low', 'xhigh', 'max'],
  ['gpt-6.2-astra', 'low', 'low', 'xhigh', 'max'],
  ['gpt-6.1-astra', 'low', 'low', 'xhigh', 'max'],
  ['gpt-6.10', 'low', 'low', 'xhigh', 'max'],
  ['gpt-7-luna', 'low', 'low', 'xhigh', 'max'],
  ['gpt-10', 'low', 'low', 'xhigh', 'max'],
  ['gpt-35-turbo', 'none', 'minimal', 'xhigh', 'max'],
  ['gpt-5.5-chat-latest', 'none', 'minimal', 'xhigh', 'max'],
  ['qwen3-max', 'none', 'minimal', 'xhigh', 'max'],
])('%s is asked for an effort that it takes', (model, none, minimal, xhigh, max) => {
  const asked = (['none', 'minimal', 'xhigh', 'max'] as const).map((effort) => effortFor(effort, model));
  expect<string[]>(asked).toEqual([none, minimal, xhigh, max]);
});

it.each<[string, unasked: boolean, atNone: boolean, atLow: boolean]>([
  ['o3', true, true, true],
  ['gpt-5-mini', true, true, true],
  ['gpt-5.1', false, false, true],
  ['gpt-5.4-nano', false, false, true],
  ['gpt-5.2-pro', true, true, true],
  ['gpt-5.5', true, false, true],
  ['openai/gpt-6-sol', true, false, true],
  ['gpt-6.2-sol', true, true, true],
  ['gpt-7', true, true, true],
  ['gpt-35-turbo', false, false, false],
  ['gpt-5.3-chat-latest', false, false, false],
])('%s thinks as it is known to', (model, unasked, atNone, atLow) => {
  const thinks = ([undefined, 'none', 'low'] as const).map((effort) => thinksAt(model, effort));
  expect(thinks).toEqual([unasked, atNone, atLow]);
});

it('versions are told apart, and are those of thinkers', () => {
  const from = [
    'o3',
    'gpt-5',
    'gpt-5.1',
    'gpt-5.2',
    'openai/gpt-6-luna',
    'gpt-10',
    'gpt-35-turbo',
    'gpt-4.1',
  ];
  expect(from.filter((model) => isThinkerFrom(model, [5, 2]))).toEqual([
    'gpt-5.2',
    'openai/gpt-6-luna',
    'gpt-10',
  ]);
});

it.each<[string, boolean]>([
  ['o3', false],
  ['o4-mini', false],
  ['openai/gpt-5-mini', false],
  ['gpt-6.1-sol', false],
  ['o1', true],
  ['gpt-4.1', true],
  ['gpt-5-chat-latest', true],
  ['my-deployment', true],
])('whether %s takes words to stop at: %p', (model, expected) => {
  expect(takesStops(model)).toBe(expected);
});
