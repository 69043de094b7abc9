import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import type { Vendor } from '../core/vendor-bill.ts';
import { PAID_OF_RESPONSES } from './asked-tools.ts';
import type { DialectId } from './dialect.ts';
import { TOKENS_OF_RESPONSES } from './reading-tools.ts';
import { withoutUntold } from './told-tools.ts';

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
  for (const type of ['custom', 'function', 'mcp_toolset', 'bash_20250124']) {
    const tools = [{ type, name: 'web_search' }];
    for (const model of ['gpt-5', 'claude-opus-4-1'])
      expect(left({ tools }, 'anthropic-messages', null, model).body).toEqual(
        type === 'custom' && model.startsWith('claude') ? { tools: [{ name: 'web_search' }] } : {},
      );
    expect(left({ tools }, CHAT, null).body).toEqual({});
    expect(left({ tools }, 'anthropic-messages', 'another', 'glm-5').body).toEqual({ tools });
  }
});

it.each<[wire: DialectId, tools: JsonObject[]]>([
  [CHAT, [{ type: 'function', name: 'WebSearch' }]],
  [CHAT, [{ type: 'function', function: { name: 'web_search' } }]],
  [CHAT, [{ type: 'function', function: { name: 'web_search', parameters: null, own: {} } }]],
  ['anthropic-messages', [{ name: 'WebSearch' }]],
  [CHAT, [{ name: 'litellm_web_search', input_schema: {} }]],
  [CHAT, [{ type: 'function', function: { name: 'litellm_code_execution' } }]],
  [CHAT, [{ functionDeclarations: [{ name: 'litellm_advisor' }] }]],
  ['openai-plain', [{ type: 'custom', custom: { name: 'litellm_web_search' } }]],
  [RESPONSES, [{ type: 'function', name: 'LiteLLM-Web.Search' }]],
  ['anthropic-messages', [{ type: 'custom', name: 'litellm_content_retrieve', input_schema: {} }]],
  ['gemini', [{ function_declarations: [{ name: 'litellm_web_search' }] }]],
  ['gemini', [{ functionDeclarations: { name: 'litellm_web_search' } }]],
])('on %s a function that a gateway runs goes up to nobody who may be one: %j', (wire, tools) => {
  for (const model of ['any-model', 'gpt-5', 'claude-opus-4-1', 'gemini-2.5-pro']) {
    const { body, dropped } = left({ tools }, wire, null, model);
    expect([body, dropped]).toEqual([{}, [expect.stringMatching(/web_?search|litellm/i)]]);
  }
  expect(left({ tools }, wire, 'another').body).toEqual({ tools });
});

it.each<[wire: DialectId, tool: JsonObject]>([
  [CHAT, { type: 'function', function: { name: 'web_search', description: 'searches' } }],
  [CHAT, { type: 'function', function: { name: 'search_litellm' } }],
  [CHAT, { name: 'WebSearch', input_schema: {} }],
  [RESPONSES, { type: 'function', name: 'web_search' }],
  ['anthropic-messages', { name: 'web_search', input_schema: {} }],
  ['anthropic-messages', { type: 'custom', name: 'WebSearch', input_schema: {} }],
  ['anthropic-messages', { type: 'web_search_20250305', name: 'web_search' }],
])('on %s a function that none runs goes up: %j', (wire, tool) => {
  expect(left({ tools: [tool] }, wire, null, 'claude-opus-4-1').body).toEqual({ tools: [tool] });
});

it('of the functions that a tool of Google’s declares there stay the caller’s', () => {
  const tools = (...names: string[]) => [{ functionDeclarations: names.map((name) => ({ name })) }];
  expect(left({ tools: tools('f', 'litellm_web_search') }, 'gemini', null)).toEqual({
    body: { tools: tools('f') },
    dropped: ['litellm_web_search'],
  });
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
