import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { mayUseTools, ToolCounter, toolModels, toolUsesIn } from './tool-uses.ts';

test.each<[string, JsonObject, object]>([
  [
    'Anthropic',
    { usage: { input_tokens: 1, server_tool_use: { web_search_requests: 3 } } },
    { web_search: 3 },
  ],
  [
    'Responses',
    {
      output: [
        { type: 'web_search_call' },
        { type: 'web_search_call' },
        { type: 'file_search_call' },
        { type: 'code_interpreter_call' },
        { type: 'image_generation_call', quality: 'low' },
        { type: 'image_generation_call' },
        { type: 'message' },
      ],
    },
    { web_search: 2, file_search: 1, code_interpreter: 1, image_generation_low: 1, image_generation_high: 1 },
  ],
  ['Gemini', { candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] } }] }, { google_search: 2 }],
  [
    'Gemini without queries',
    { candidates: [{ groundingMetadata: { groundingChunks: [{}] } }] },
    { google_search: 1 },
  ],
  [
    'a search model',
    { choices: [{ message: { annotations: [{ type: 'url_citation' }] } }] },
    { web_search: 1 },
  ],
  ['Perplexity', { usage: { num_search_queries: 4 } }, { web_search: 4 }],
  ['absurd counts', { usage: { server_tool_use: { web_search_requests: 1e12 } } }, { web_search: 1000 }],
  ['no tool', { usage: { prompt_tokens: 1 }, choices: [{ message: { content: 'x' } }] }, {}],
])('an answer of %s tells what its tools were used', (_, answer, uses) => {
  expect(toolUsesIn(answer)).toEqual(uses as never);
});

test('what is no answer has used nothing', () => {
  for (const none of [null, 'x', [], 5]) expect(toolUsesIn(none)).toEqual({});
});

describe('a stream', () => {
  const counted = (...events: object[]) => {
    const counter = new ToolCounter();
    for (const event of events) counter.look(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    return counter.uses;
  };

  test('of Anthropic tells totals as it goes', () => {
    const usage = (web_search_requests: number) => ({ usage: { server_tool_use: { web_search_requests } } });
    expect(
      counted({ type: 'message_start', message: usage(0) }, { type: 'message_delta', ...usage(2) }),
    ).toEqual({ web_search: 2 });
  });

  test('of Responses tells them at its end', () => {
    const output = [{ type: 'web_search_call' }];
    expect(counted({ type: 'response.completed', response: { output } })).toEqual({ web_search: 1 });
  });

  test('of Gemini tells them where they stand', () => {
    expect(
      counted({ candidates: [{ groundingMetadata: { webSearchQueries: ['a'] } }] }, { candidates: [{}] }),
    ).toEqual({ google_search: 1 });
  });
});

test.each<[JsonObject, boolean]>([
  [{}, false],
  [{ tools: [{ type: 'function', function: {} }, { type: 'custom' }] }, false],
  [{ tools: [{ name: 'own', input_schema: {} }] }, false],
  [{ tools: [{ functionDeclarations: [] }, { function_declarations: [] }] }, false],
  [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, true],
  [{ tools: [{ googleSearch: {} }] }, true],
  [{ web_search_options: {} }, true],
])('%j may use tools of the upstream: %p', (body, may) => {
  expect(mayUseTools(body, 'm')).toBe(may);
});

test('a search model does so unasked, and tools may name models', () => {
  expect(mayUseTools({}, 'gpt-4o-search-preview')).toBe(true);
  expect(toolModels({ tools: [{ type: 'image_generation', model: 'gpt-image-1' }, {}] })).toEqual([
    'gpt-image-1',
  ]);
});
