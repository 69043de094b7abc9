import { expect, it } from 'bun:test';
import { effortFor } from './thinking.ts';

it.each<[string, none: string, minimal: string, max: string]>([
  ['o3', 'low', 'low', 'high'],
  ['openai/gpt-5-mini', 'minimal', 'minimal', 'high'],
  ['gpt-5.1', 'none', 'low', 'xhigh'],
  ['gpt-6-sol', 'none', 'low', 'xhigh'],
  ['gpt-6-astra', 'low', 'low', 'xhigh'],
  ['openai/gpt-6.1-sol', 'low', 'low', 'xhigh'],
  ['gpt-6.1-terra', 'none', 'low', 'xhigh'],
  ['gpt-6.2-sol', 'low', 'low', 'xhigh'],
  ['gpt-6.2-astra', 'low', 'low', 'xhigh'],
  ['gpt-10', 'none', 'low', 'xhigh'],
  ['gpt-50', 'none', 'low', 'xhigh'],
  ['qwen3-max', 'none', 'minimal', 'max'],
])('%s is asked for an effort that it takes', (model, none, minimal, max) => {
  const asked = (['none', 'minimal', 'max'] as const).map((effort) => effortFor(effort, model));
  expect<string[]>(asked).toEqual([none, minimal, max]);
});
