import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { summedUpBefore } from './summed-up.ts';

const SAID = [{ role: 'user', content: 'hi' }];
type Given = JsonObject | JsonObject[] | string | undefined;

/** What each wire says of it. */
function from(given: Given) {
  const asked: JsonObject = { model: 'm', ...(given !== undefined && { context_management: given }) };
  const said = { ...asked, messages: SAID };
  return {
    chat: openaiChat.readRequest(said, {}).sumsUpFrom,
    messages: anthropicMessages.readRequest({ ...said, max_tokens: 9 }, {}).sumsUpFrom,
    responses: openaiResponses.readRequest({ ...asked, input: SAID }, {}).sumsUpFrom,
  };
}
const edits = (...all: JsonObject[]) => ({ edits: all });
const trigger = { type: 'input_tokens', value: 60_000 };

it.each<[what: string, given: Given, least: number | undefined]>([
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
  expect(from(given)).toEqual({ chat: least, messages: least, responses: least });
});

it.each<[what: string, body: JsonObject, before: number]>([
  ['nothing', { input: SAID }, 0],
  ['a text', { input: 'compaction' }, 0],
  ['a summary at last', { input: [...SAID, { type: 'compaction' }] }, 2],
  ['what was said since', { input: [{ type: 'compaction' }, ...SAID] }, 1],
  ['the last of several', { input: [{ type: 'compaction' }, ...SAID, { type: 'context_compaction' }] }, 3],
  ['the word that one be made', { input: [...SAID, { type: 'compaction_trigger' }, ...SAID] }, 2],
  ['an edit that leaves something out', { input: SAID, context_management: edits({ type: 'clear' }) }, 0],
  ['an edit', { input: SAID, context_management: edits({ type: 'compact_20260112' }) }, Infinity],
  ['an item', { input: SAID, context_management: [{ type: 'compaction' }] }, Infinity],
])('is told how far a conversation may have been summed up: %s', (_, body, before) => {
  expect(summedUpBefore(body)).toBe(before);
});
