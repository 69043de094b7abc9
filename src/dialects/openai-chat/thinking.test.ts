import { expect, it } from 'bun:test';
import { effortFor } from './thinking.ts';

it.each<[string, none: string, minimal: string, max: string]>([
  ['o3', 'low', 'low', 'high'],
  ['openai/gpt-5-mini', 'minimal', 'minimal', 'high'],
  ['gpt-5.1', 'none', 'minimal', 'xhigh'],
  ['gpt-10', 'none', 'minimal', 'xhigh'],
  ['gpt-50', 'none', 'minimal', 'xhigh'],
  ['qwen3-max', 'none', 'minimal', 'max'],
])('%s is asked for an effort that it takes', (model, none, minimal, max) => {
  const asked = (['none', 'minimal', 'max'] as const).map((effort) => effortFor(effort, model));
  expect<string[]>(asked).toEqual([none, minimal, max]);
});
