import { expect, it } from 'bun:test';
import type { Vendor } from '../dialects/told-tools.ts';
import { findProvider, vendorAt } from './registry.ts';

it.each<[type: number, address: string, vendor: Vendor | null]>([
  [1, '', 'another'],
  [1, 'https://api.openai.com', 'another'],
  [1, 'https://eu.api.openai.com.', 'another'],
  [1, 'https://API.x.ai', 'another'],
  [8, 'https://api.groq.com/openai/v1/chat/completions', 'groq'],
  [8, 'https://api.perplexity.ai/v1/responses', 'perplexity'],
  [1, 'https://us-central1-aiplatform.googleapis.com', 'another'],
  [14, '', 'another'],
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
