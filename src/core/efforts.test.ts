import { expect, test } from 'bun:test';
import { takenEffort } from './efforts.ts';

type Taken = string | undefined;

test.each<[string, none: Taken, low: Taken, medium: Taken, max: Taken]>([
  ['gpt-5.4', 'none', 'low', 'medium', 'xhigh'],
  ['x-ai/grok-3-mini', 'low', 'low', 'high', 'high'],
  ['grok-4', undefined, undefined, undefined, undefined],
  ['grok-4-0709', undefined, undefined, undefined, undefined],
  ['grok-4.20-0309-reasoning', undefined, undefined, undefined, undefined],
  ['grok-code-fast-1', undefined, undefined, undefined, undefined],
  ['grok-4.3', 'none', 'low', 'medium', 'high'],
  ['grok-4.5', 'low', 'low', 'medium', 'high'],
  ['grok-4.6', 'low', 'low', 'medium', 'xhigh'],
  ['mistral-small-latest', 'none', 'high', 'high', 'high'],
  ['mistralai/Mistral-Medium-3.5-128B', 'none', 'high', 'high', 'high'],
  ['magistral-small-latest', 'none', 'high', 'high', 'high'],
  ['magistral-medium-latest', undefined, undefined, undefined, undefined],
  ['qwen/qwen3-32b', 'none', undefined, undefined, undefined],
  ['openai/gpt-oss-120b', 'low', 'low', 'medium', 'high'],
  ['deepseek-v4-pro', 'none', 'low', 'medium', 'max'],
  ['my-deployment', 'none', 'low', 'medium', 'max'],
])('%s is asked for an effort that it takes', (model, none, low, medium, max) => {
  const taken = (['none', 'low', 'medium', 'max'] as const).map((effort) => takenEffort(effort, model));
  expect<Taken[]>(taken).toEqual([none, low, medium, max]);
});
