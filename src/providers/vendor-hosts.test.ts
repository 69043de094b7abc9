import { expect, it } from 'bun:test';
import type { Vendor } from '../dialects/told-tools.ts';
import { findProvider, isUnbilledAt, vendorAt } from './registry.ts';

it.each<[type: number, address: string, vendor: Vendor | null]>([
  [1, '', 'another'],
  [1, 'https://api.openai.com', 'another'],
  [1, 'https://eu.api.openai.com.', 'another'],
  [1, 'https://API.x.ai', 'another'],
  [8, 'https://api.groq.com/openai/v1/chat/completions', 'groq'],
  [8, 'https://api.perplexity.ai/v1/responses', 'perplexity'],
  [1, 'https://us-central1-aiplatform.googleapis.com', 'another'],
  [14, '', 'anthropic'],
  [8, 'https://api.anthropic.com/v1/messages', 'anthropic'],
  [14, 'https://api.anthropic.com.evil.example', null],
  [14, 'https://open.bigmodel.cn/api/anthropic', 'another'],
  [14, 'https://litellm.example', null],
  [24, 'https://gateway.example', null],
  [1, 'http://10.0.0.7:4000', null],
  [1, 'https://api.openai.com.evil.example', null],
  [1, 'https://notapi.openai.com', null],
  [8, 'https://api.venice.ai/api/v1/chat/completions', null],
  // Whose wire nobody else speaks is who he is wherever he stands.
  [3, 'https://gpt.house.example', 'another'],
  [26, 'http://proxy.house.example', 'another'],
])('of type %d at %s there is %s', (type, address, vendor) => {
  const provider = findProvider(type);
  expect(provider && vendorAt(provider, address)).toBe(vendor);
});

it.each<[type: number, address: string, category: string | null, is: boolean]>([
  [14, '', 'cyber', true],
  [14, '', 'general_harms', true],
  [14, '', null, true],
  [14, '', 'bio', false],
  [14, '', 'frontier_llm', false],
  [14, '', 'reasoning_extraction', false],
  [14, '', 'yet_to_come', false],
  [8, 'https://api.anthropic.com/v1/messages', 'cyber', true],
  [14, 'https://litellm.example', 'cyber', false],
  [20, '', 'cyber', false],
  [33, '', 'cyber', false],
  [41, '', 'cyber', false],
])('a refusal of type %d at %s for %p is billed to nobody: %p', (type, address, category, is) => {
  const provider = findProvider(type);
  expect(provider && isUnbilledAt(provider, address, category)).toBe(is);
});
