import { describe, expect, it } from 'bun:test';
import type { Json, JsonObject } from '../../core/json.ts';
import { inItsWords } from './strange-words.ts';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };
const LARK = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
const MARK = { type: 'ephemeral' };
const NESTED: JsonObject = {
  type: 'function',
  function: { name: 'read', description: 'd', parameters: SCHEMA },
};

describe('a tool in the words of another wire', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'a function of Responses',
      { type: 'function', name: 'read', description: 'd', parameters: SCHEMA },
      NESTED,
    ],
    [
      'a strict one',
      { type: 'function', name: 'read', parameters: SCHEMA, strict: false },
      { type: 'function', function: { name: 'read', parameters: SCHEMA, strict: false } },
    ],
    ['one without a type', { name: 'read', description: 'd', parameters: SCHEMA }, NESTED],
    [
      'one that takes nothing',
      { type: 'function', name: 'now' },
      { type: 'function', function: { name: 'now' } },
    ],
    ['a tool of Messages', { name: 'read', description: 'd', input_schema: SCHEMA }, NESTED],
    ['one that says so', { type: 'custom', name: 'read', description: 'd', input_schema: SCHEMA }, NESTED],
    [
      'one that is marked',
      { name: 'read', description: 'd', input_schema: SCHEMA, cache_control: MARK },
      { ...NESTED, cache_control: MARK },
    ],
    [
      'free text',
      { type: 'custom', name: 'patch', description: 'd' },
      { type: 'custom', custom: { name: 'patch', description: 'd' } },
    ],
    [
      'a grammar',
      { type: 'custom', name: 'patch', format: LARK },
      {
        type: 'custom',
        custom: {
          name: 'patch',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        },
      },
    ],
  ])('stands in an object of its own: %s', (_, given, own) => {
    expect(inItsWords({ model: 'm', tools: [NESTED, given] })).toEqual({ model: 'm', tools: [NESTED, own] });
  });

  it.each<[string, Json]>([
    ['its own function', NESTED],
    ['its own custom tool', { type: 'custom', custom: { name: 'patch' } }],
    ['what runs at a vendor', { type: 'web_search_20250305', name: 'web_search', max_uses: 1 }],
    ['what runs at a vendor, with a schema', { type: 'mcp', name: 'x', input_schema: SCHEMA }],
    ['Google’s', { functionDeclarations: [{ name: 'f', parameters: SCHEMA }] }],
    ['what says no more than its name', { name: 'x' }],
    ['a function without a name', { type: 'function', parameters: SCHEMA }],
    ['no object', 'read'],
  ])('is no other: %s', (_, tool) => {
    const body: JsonObject = { tools: [tool], functions: [{ name: 'old', parameters: SCHEMA }] };
    expect(inItsWords(body)).toBe(body);
  });

  it.each<[Json, Json]>([
    [
      { type: 'function', name: 'read' },
      { type: 'function', function: { name: 'read' } },
    ],
    [
      { type: 'custom', name: 'patch' },
      { type: 'custom', custom: { name: 'patch' } },
    ],
    [
      { type: 'tool', name: 'read' },
      { type: 'function', function: { name: 'read' } },
    ],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    ['auto', 'auto'],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [
      { type: 'function', function: { name: 'read' } },
      { type: 'function', function: { name: 'read' } },
    ],
    [{ type: 'constructor' }, { type: 'constructor' }],
  ])('is chosen in the words of this wire: %j', (tool_choice, own) => {
    expect(inItsWords({ tool_choice })).toEqual({ tool_choice: own });
  });
});

const USE = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } };
const CALL = { id: 'toolu_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
const text = (said: string): JsonObject => ({ type: 'text', text: said });
const result = (id: string, content: Json, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'tool_result', tool_use_id: id, content, ...more },
});

describe('a message in the words of Messages', () => {
  it.each<[string, JsonObject, JsonObject[]]>([
    [
      'a call',
      { role: 'assistant', content: [USE] },
      [{ role: 'assistant', content: null, tool_calls: [CALL] }],
    ],
    [
      'words and calls, some of them as this wire has them',
      {
        role: 'assistant',
        content: [text('Look.'), USE, { ...USE, id: 'toolu_2', input: {}, cache_control: MARK }],
        tool_calls: [{ ...CALL, id: 'call_0' }],
      },
      [
        {
          role: 'assistant',
          content: [text('Look.')],
          tool_calls: [
            { ...CALL, id: 'call_0' },
            CALL,
            { id: 'toolu_2', type: 'function', function: { name: 'read', arguments: '{}' } },
          ],
          cache_control: MARK,
        },
      ],
    ],
    [
      'a call that takes nothing',
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'now' }] },
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
      ],
    ],
    [
      'results, and what is said after them',
      {
        role: 'user',
        content: [
          result('toolu_1', [text('a'), text('b')], { cache_control: MARK }),
          result('toolu_2', 'c'),
          text('Go on.'),
        ],
      },
      [
        { role: 'tool', tool_call_id: 'toolu_1', content: 'a\nb', cache_control: MARK },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'c' },
        { role: 'user', content: [text('Go on.')] },
      ],
    ],
    [
      'a failure',
      { role: 'user', content: [result('toolu_1', 'no such file', { is_error: true })] },
      [{ role: 'tool', tool_call_id: 'toolu_1', content: 'Error: no such file' }],
    ],
    [
      'nothing found',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      [{ role: 'tool', tool_call_id: 'toolu_1', content: '' }],
    ],
    [
      'a result in a message of a tool',
      { role: 'tool', tool_call_id: 'toolu_1', content: [{ type: 'tool_result', content: 'a' }] },
      [{ role: 'tool', tool_call_id: 'toolu_1', content: 'a' }],
    ],
    [
      'a picture that a tool has given',
      {
        role: 'user',
        content: [
          result('toolu_1', [
            text('seen'),
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
          ]),
        ],
      },
      [
        { role: 'tool', tool_call_id: 'toolu_1', content: 'seen' },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } }],
        },
      ],
    ],
    [
      'a picture by its address',
      {
        role: 'user',
        content: [text('See.'), { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } }],
      },
      [
        {
          role: 'user',
          content: [text('See.'), { type: 'image_url', image_url: { url: 'https://a.example/a.png' } }],
        },
      ],
    ],
  ])('is told in those of this one: %s', (_, message, own) => {
    const before = { role: 'system', content: 'Be brief.' };
    expect(inItsWords({ messages: [before, message] })).toEqual({ messages: [before, ...own] });
  });

  it.each<[string, Json]>([
    ['text', { role: 'user', content: 'tool_use' }],
    ['parts', { role: 'user', content: [text('hi'), 'there', null, { type: 'image', image: 'x' }] }],
    [
      'a picture that an account keeps',
      { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
    ],
    [
      'a picture without its kind',
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'x' } }] },
    ],
    ['nothing', null],
  ])('is no other: %s', (_, message) => {
    const body = { messages: [message] };
    expect(inItsWords(body)).toBe(body);
  });
});
