import { expect, it } from 'bun:test';
import { AS_SHOWN, type Vendor, type VendorBill } from '../core/vendor-bill.ts';
import { billAt, findProvider, vendorAt } from './registry.ts';

it.each<[type: number, address: string, vendor: Vendor | null]>([
  [1, '', 'openai'],
  [1, 'https://api.openai.com', 'openai'],
  [1, 'https://eu.api.openai.com.', 'openai'],
  [3, 'https://gpt.openai.azure.com', 'azure'],
  [3, 'https://gpt.cognitiveservices.azure.com', 'azure'],
  [8, 'https://gpt.services.ai.azure.com/openai/v1/responses', 'azure'],
  [3, 'https://gpt.openai.azure.us', 'azure'],
  [3, 'https://gpt.cognitiveservices.azure.us', 'azure'],
  [3, 'https://gpt.openai.azure.cn', 'azure'],
  [3, 'https://gpt.cognitiveservices.azure.cn', 'azure'],
  [1, 'https://API.x.ai', 'another'],
  [8, 'https://api.groq.com/openai/v1/chat/completions', 'groq'],
  [8, 'https://api.perplexity.ai/v1/responses', 'perplexity'],
  [1, 'https://us-central1-aiplatform.googleapis.com', 'google'],
  [24, '', 'google'],
  [8, 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions', 'google'],
  [41, '', 'google'],
  [33, '', 'another'],
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
  [41, 'https://gemini.house.example', 'another'],
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
])('a refusal of type %d at %s for %p is billed to nobody: %p', (type, baseUrl, category, is) => {
  expect(billAt({ type, baseUrl }).freeRefusals?.has(category) ?? false).toBe(is);
});

const GOOGLES: VendorBill = { freeFinds: true, freeRepeats: true };
const TOOLS: VendorBill = { freePages: true, tellsSearches: true, picturesByToken: true };
const OPENAIS: VendorBill = { ...TOOLS, containers: { sessionSec: 1200, whenMade: true } };
const AZURES: VendorBill = { ...TOOLS, containers: { sessionSec: 3600 } };
it.each<[type: number, address: string, bill: VendorBill]>([
  [1, '', OPENAIS],
  [3, 'https://gpt.openai.azure.com', AZURES],
  [24, '', GOOGLES],
  [41, '', GOOGLES],
  [1, 'https://api.groq.com/openai', { freeFinds: true }],
  // A plain proxy cannot be told from who sells on what he bought.
  [1, 'https://gateway.example', AS_SHOWN],
  [3, 'https://gpt.house.example', AS_SHOWN],
  [24, 'https://gateway.example', AS_SHOWN],
  [41, 'https://gemini.house.example', AS_SHOWN],
  [24, 'https://api.openai.com.evil.example', AS_SHOWN],
  [20, '', AS_SHOWN],
  [999, '', AS_SHOWN],
])('what comes of type %d at %s is billed like this', (type, baseUrl, bill) => {
  expect(billAt({ type, baseUrl })).toEqual(bill);
});
