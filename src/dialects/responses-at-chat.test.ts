import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { isOfResponses, responsesAtChat } from './responses-at-chat.ts';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };
const BODY: JsonObject = { model: 'gpt-5.1', input: 'hi' };

it.each<[boolean, JsonObject]>([
  [true, { input: 'hi' }],
  [true, { input: [], messages: null }],
  [true, { input: [{ role: 'user', content: 'hi' }], messages: [] }],
  [false, { input: 'hi', messages: [{ role: 'user', content: 'hi' }] }],
  [false, { messages: [] }],
  [false, { input: null }],
  [false, {}],
])('is told by what it says, %p: %j', (is, body) => {
  expect(isOfResponses(body)).toBe(is);
});

it('is a chat that says the same', () => {
  const { body, dropped, kept } = responsesAtChat({
    ...{ model: 'gpt-5.1', stream: true, store: false, user: 'u', prompt_cache_key: 'k' },
    ...{ prompt_cache_retention: '24h', max_output_tokens: 500, parallel_tool_calls: true },
    ...{ include: ['reasoning.encrypted_content'], stream_options: { include_usage: true } },
    ...{ reasoning: { effort: 'medium', summary: 'auto' }, text: { verbosity: 'low' } },
    instructions: 'Be brief.',
    input: [
      { role: 'system', content: 'You mend.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi' },
          { type: 'input_image', image_url: 'https://a.example/a.png' },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'written' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'text of a' }] },
    ],
    tools: [
      { type: 'function', name: 'read', parameters: SCHEMA, strict: false },
      {
        ...{ type: 'custom', name: 'patch' },
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
    ],
    tool_choice: { type: 'custom', name: 'patch' },
  });
  expect(body).toEqual({
    ...{ model: 'gpt-5.1', stream: true, user: 'u', prompt_cache_key: 'k', prompt_cache_retention: '24h' },
    ...{ max_completion_tokens: 500, parallel_tool_calls: true, stream_options: { include_usage: true } },
    ...{ reasoning_effort: 'medium', verbosity: 'low' },
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'You mend.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
          { id: 'c2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'text of a' },
      { role: 'tool', tool_call_id: 'c2', content: 'written' },
    ],
    tools: [
      { type: 'function', function: { name: 'read', parameters: SCHEMA, strict: false } },
      {
        type: 'custom',
        custom: {
          name: 'patch',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        },
      },
    ],
    tool_choice: { type: 'custom', custom: { name: 'patch' } },
  });
  expect([dropped, kept]).toEqual([[], undefined]);
});

describe('what a chat has no word for', () => {
  it.each<[string, JsonObject, string[]]>([
    ['a tool that runs at OpenAI', { tools: [{ type: 'code_interpreter' }] }, ['code_interpreter']],
    ['a server of tools', { tools: [{ type: 'mcp', server_url: 'https://a.example' }] }, ['mcp']],
    ['a choice of one', { tool_choice: { type: 'mcp', server_label: 'a' } }, ['tool_choice']],
    ['how often tools are used', { max_tool_calls: 3 }, ['max_tool_calls']],
    ['what is forgotten', { truncation: 'auto' }, ['truncation']],
    ['words about it that nobody stores', { metadata: { a: 'b' } }, ['metadata']],
    ['another limit', { max_tokens: 9_000_000 }, ['max_tokens']],
    ['another spelling', { Max_Output_Tokens: 9_000_000 }, ['Max_Output_Tokens']],
    ['a field that nobody knows', { strange: 1, messages: [] }, ['strange']],
  ])('does not go up, and is told: %s', (_, more, lost) => {
    const { body, dropped } = responsesAtChat({ ...BODY, ...more });
    expect(body).toEqual({ model: 'gpt-5.1', messages: [{ role: 'user', content: 'hi' }] });
    expect(dropped).toEqual(expect.arrayContaining(lost));
  });
});

it('its search is the search of chats, which is held for', () => {
  const { body } = responsesAtChat({ ...BODY, tools: [{ type: 'web_search', search_context_size: 'high' }] });
  expect(body).toMatchObject({ web_search_options: { search_context_size: 'high' } });
});

/** Few messages of many parts each, in all more than are read. */
function manyParts(): JsonObject[] {
  const content = Array.from({ length: limits.partsMax }, () => ({ type: 'input_text', text: '' }));
  return Array.from({ length: limits.allPartsMax / limits.partsMax + 1 }, () => ({ role: 'user', content }));
}

it.each<[string, JsonObject]>([
  ['an earlier answer', { previous_response_id: 'resp_1' }],
  ['a conversation', { conversation: { id: 'conv_1' } }],
  ['a prompt', { prompt: { id: 'pmpt_1' } }],
  ['an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ['an item without its type', { input: [{ id: 'msg_1' }] }],
  [
    'a picture of the account',
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] },
  ],
  ['a file of the account', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }],
  ['an answer for later', { background: true }],
  ['a limit that is none', { max_output_tokens: '500' }],
  ['a limit of tools that is none', { max_tool_calls: 0 }],
  ['more parts than any has', { input: manyParts() }],
  ['no model', { model: null }],
  ['no item', { input: [7] }],
])('is refused as at its own address, or for what only that keeps: %s', (_, more) => {
  expect(() => responsesAtChat({ ...BODY, ...more })).toThrow();
});

it('names what an account keeps, though it does not go up', () => {
  const tools = [{ type: 'file_search', vector_store_ids: ['vs_1'] }];
  expect(responsesAtChat({ ...BODY, tools })).toMatchObject({
    dropped: ['file_search'],
    kept: 'tools[0].vector_store_ids',
  });
});
