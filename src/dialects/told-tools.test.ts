import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { PAID_OF_RESPONSES } from './asked-tools.ts';
import type { DialectId } from './dialect.ts';
import { TOKENS_OF_RESPONSES } from './reading-tools.ts';
import { type Vendor, withoutUntold } from './told-tools.ts';

const left = (body: JsonObject, wire: DialectId, vendor: Vendor | null, model = 'any-model', priced = '') =>
  withoutUntold(body, { wire, vendor, names: [model], isPriced: (name) => name === priced });
const types = (...names: string[]) => ({ tools: names.map((type) => ({ type })) });

const CHAT = 'openai-chat';
const RESPONSES = 'openai-responses';

it.each<[wire: DialectId, vendor: Vendor | null, body: JsonObject]>([
  [CHAT, 'groq', types('browser_search', 'code_interpreter', 'visit_website')],
  [RESPONSES, 'perplexity', types('web_search', 'fetch_url', 'people_search', 'finance_search')],
  [RESPONSES, 'another', types('web_search', 'code_interpreter', 'shell', 'x_search')],
  [CHAT, 'another', { ...types('web_search'), enable_search: true, web_search_options: {} }],
  ['anthropic-messages', 'another', types('web_search_20250305')],
  ['gemini', 'another', { tools: [{ googleSearch: {} }] }],
  [RESPONSES, null, types('mcp', 'function', 'custom', 'local_shell')],
  [CHAT, null, { enable_search: false, web_search_options: null, web_search: { enable: false } }],
  ['gemini', null, { tools: [{ functionDeclarations: [{ name: 'googleSearch' }] }] }],
])('on %s at %p goes up as it is: %j', (wire, vendor, body) => {
  expect(left(body, wire, vendor)).toEqual({ body, dropped: [] });
});

it.each<[wire: DialectId, vendor: Vendor | null, tools: string[], model?: string]>([
  [CHAT, 'another', ['browser_search', 'code_interpreter', 'visit_website', 'wolfram_alpha']],
  [CHAT, null, ['browser_search', 'code_interpreter'], 'openai/gpt-oss-120b'],
  [RESPONSES, 'groq', ['browser_search', 'visit_website']],
  [RESPONSES, 'another', ['fetch_url', 'people_search', 'finance_search', 'browser_search']],
  ['anthropic-messages', 'perplexity', ['fetch_url']],
  [RESPONSES, null, ['fetch_url', 'web_search']],
])('on %s at %p nobody tells %j', (wire, vendor, tools, model = 'any-model') => {
  expect(left(types(...tools), wire, vendor, model)).toEqual({ body: {}, dropped: tools });
});

it('each tool of Responses that is charged by what it does goes up for a model of some maker’s', () => {
  for (const type of [...PAID_OF_RESPONSES, ...TOKENS_OF_RESPONSES, 'code_interpreter', 'shell']) {
    const body = types(type);
    const goesUp = (model: string) => left(body, RESPONSES, null, model).body === body;
    expect([type, ['gpt-5', 'grok-4'].some(goesUp)]).toEqual([type, true]);
  }
});

it('a name by which a gateway searches goes up in no kind of tool', () => {
  for (const type of ['custom', 'mcp_toolset', 'bash_20250124']) {
    const tools = [{ type, name: 'web_search' }];
    expect(left({ tools }, 'anthropic-messages', null, 'gpt-5').body).toEqual({});
    expect(left({ tools }, 'anthropic-messages', null, 'claude-opus-4-1').body).toEqual({ tools });
    expect(left({ tools }, 'anthropic-messages', 'another', 'glm-5').body).toEqual({ tools });
  }
});

it('an operator’s price lets one more go up where each is told by its name', () => {
  const body = types('of_the_future');
  expect(left(body, RESPONSES, null, 'gpt-5', 'of_the_future').body).toBe(body);
  expect(left(body, RESPONSES, null, 'claude-opus-4-1', 'of_the_future').body).toEqual({});
  expect(left(body, 'anthropic-messages', null, 'claude-opus-4-1', 'of_the_future').body).toBe(body);
});

it('of a tool of Google’s there stays what is told', () => {
  const tools = [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }];
  expect(left({ tools }, 'gemini', null)).toEqual({
    body: { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    dropped: ['googleSearch'],
  });
});
