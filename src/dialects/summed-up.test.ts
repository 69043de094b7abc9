import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

const SAID = [{ role: 'user', content: 'hi' }];
const WIRES = [
  { dialect: openaiChat, rest: { messages: SAID } },
  { dialect: anthropicMessages, rest: { messages: SAID, max_tokens: 9 } },
  { dialect: openaiResponses, rest: { input: SAID } },
];

/** What all wires say of it, each once. */
const from = (given: JsonObject | JsonObject[] | string | undefined) => [
  ...new Set(
    WIRES.map(({ dialect, rest }) => {
      const body: JsonObject = {
        model: 'm',
        ...rest,
        ...(given !== undefined && { context_management: given }),
      };
      return dialect.readRequest(body, {}).sumsUpFrom;
    }),
  ),
];
const edits = (...all: JsonObject[]) => ({ edits: all });
const trigger = { type: 'input_tokens', value: 60_000 };

it.each<[what: string, given: JsonObject | JsonObject[] | string | undefined, least: number | undefined]>([
  ['nothing', undefined, undefined],
  ['a word', 'auto', undefined],
  ['no edit', edits(), undefined],
  ['an empty list', [], undefined],
  ['an edit that leaves something out', edits({ type: 'clear_tool_uses_20250919', trigger }), undefined],
  ['an edit', edits({ type: 'compact_20260112' }), 150_000],
  ['two edits', edits({ type: 'compact_20260112', trigger }, { type: 'compact_of_the_future' }), 60_000],
  ['an item', [{ type: 'compaction' }], 0],
  ['an item with its threshold', [{ type: 'compaction', compact_threshold: 9 }], 9],
  ['an item in the words of both', [{ type: 'compaction', compact_threshold: 90_000, trigger }], 60_000],
])('every wire tells alike from where a conversation is summed up: %s', (_, given, least) => {
  expect(from(given)).toEqual([least]);
});
