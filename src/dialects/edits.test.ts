import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { editsOf, leftOf } from './edits.ts';

const edits = (...all: JsonObject[]) => ({ edits: all });
const trigger = { type: 'input_tokens', value: 60_000 };
const RESULTS = 'clear_tool_uses_20250919';
const THOUGHTS = 'clear_thinking_20251015';

it.each<[what: string, given: JsonObject[string], clears: JsonObject | undefined]>([
  ['nothing', undefined, undefined],
  ['a word', 'auto', undefined],
  ['no edit', edits(), undefined],
  ['an empty edit', edits({}), undefined],
  ['another edit', edits({ type: 'compact_20260112' }), undefined],
  ['an edit that nobody knows', edits({ type: 'clearly' }), undefined],
  ['thoughts that are all kept', edits({ type: THOUGHTS, keep: 'all' }), undefined],
  ['the same in its other words', edits({ type: THOUGHTS, keep: { type: 'all' } }), undefined],
  ['thoughts', edits({ type: THOUGHTS }), { thoughts: 0 }],
  ['results', edits({ type: RESULTS }), { results: 100_000 }],
  ['results from a number of tokens on', edits({ type: RESULTS, trigger }), { results: 60_000 }],
  [
    'results from a number of uses on',
    edits({ type: RESULTS, trigger: { type: 'tool_uses', value: 60_000 } }),
    { results: 0 },
  ],
  [
    'calls beside them',
    edits({ type: RESULTS, trigger, clear_tool_inputs: true }),
    { results: 60_000, calls: 60_000 },
  ],
  ['the least of two', edits({ type: RESULTS }, { type: RESULTS, trigger }), { results: 60_000 }],
  ['an item', [{ type: RESULTS, trigger }], { results: 60_000 }],
])('a conversation has something left out of it by words that say so: %s', (_, given, clears) => {
  expect(editsOf({ ...(given !== undefined && { context_management: given }) }).clears).toEqual(clears);
});

const said = { role: 'user', content: 'hi' };
const text = { type: 'text', text: 'hi' };

it.each<[wire: string, body: JsonObject, results: JsonObject, calls: JsonObject, thoughts: JsonObject]>([
  [
    'chats',
    {
      messages: [
        said,
        { role: 'assistant', tool_calls: [{ type: 'function' }], thinking_blocks: [{ type: 'thinking' }] },
        { role: 'tool', content: 'x' },
      ],
    },
    {
      messages: [
        said,
        { role: 'assistant', tool_calls: [{ type: 'function' }], thinking_blocks: [{ type: 'thinking' }] },
      ],
    },
    {
      messages: [
        said,
        { role: 'assistant', tool_calls: [], thinking_blocks: [{ type: 'thinking' }] },
        { role: 'tool', content: 'x' },
      ],
    },
    {
      messages: [
        said,
        { role: 'assistant', tool_calls: [{ type: 'function' }], thinking_blocks: [] },
        { role: 'tool', content: 'x' },
      ],
    },
  ],
  [
    'Messages',
    { messages: [{ content: [text, { type: 'tool_use' }, { type: 'thinking' }, { type: 'tool_result' }] }] },
    { messages: [{ content: [text, { type: 'tool_use' }, { type: 'thinking' }] }] },
    { messages: [{ content: [text, { type: 'thinking' }, { type: 'tool_result' }] }] },
    { messages: [{ content: [text, { type: 'tool_use' }, { type: 'tool_result' }] }] },
  ],
  [
    'Responses',
    { input: [said, { type: 'function_call' }, { type: 'reasoning' }, { type: 'function_call_output' }] },
    { input: [said, { type: 'function_call' }, { type: 'reasoning' }] },
    { input: [said, { type: 'reasoning' }, { type: 'function_call_output' }] },
    { input: [said, { type: 'function_call' }, { type: 'function_call_output' }] },
  ],
  [
    'Gemini',
    {
      contents: [
        {
          parts: [
            { text: 'a' },
            { functionCall: {} },
            { text: 'b', thought: true },
            { functionResponse: {} },
          ],
        },
      ],
    },
    { contents: [{ parts: [{ text: 'a' }, { functionCall: {} }, { text: 'b', thought: true }] }] },
    { contents: [{ parts: [{ text: 'a' }, { text: 'b', thought: true }, { functionResponse: {} }] }] },
    { contents: [{ parts: [{ text: 'a' }, { functionCall: {} }, { functionResponse: {} }] }] },
  ],
  ['a word alone', { input: 'hi' }, { input: 'hi' }, { input: 'hi' }, { input: 'hi' }],
])('what is left out of a conversation is known in %s', (_, body, results, calls, thoughts) => {
  expect(leftOf(body, () => false)).toEqual(body);
  expect(leftOf(body, (kind) => kind === 'results')).toEqual(results);
  expect(leftOf(body, (kind) => kind === 'calls')).toEqual(calls);
  expect(leftOf(body, (kind) => kind === 'thoughts')).toEqual(thoughts);
});
