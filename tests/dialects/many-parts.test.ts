import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { anthropicMessages } from '../../src/dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { gemini } from '../../src/dialects/gemini/dialect.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../src/dialects/openai-responses/dialect.ts';

const text = { type: 'text', text: 'x' };
const call = { type: 'function', function: { name: 'f', arguments: '{}' } };
const user = (content: JsonObject[]): JsonObject => ({ role: 'user', content });

/** A body whose list under test holds the items. */
const bodies: [string, Dialect, (items: JsonObject[]) => JsonObject, JsonObject][] = [
  ['chat content', openaiChat, (items) => ({ messages: [user(items)] }), text],
  [
    'chat calls',
    openaiChat,
    (items) => ({ messages: [user([text]), { role: 'assistant', tool_calls: items }] }),
    call,
  ],
  ['chat tools', openaiChat, (tools) => ({ messages: [user([text])], tools }), call],
  [
    'responses content',
    openaiResponses,
    (items) => ({ input: [user(items)] }),
    { ...text, type: 'input_text' },
  ],
  ['messages content', anthropicMessages, (items) => ({ max_tokens: 5, messages: [user(items)] }), text],
  [
    'messages tools',
    anthropicMessages,
    (tools) => ({ max_tokens: 5, messages: [user([text])], tools }),
    { name: 'f', input_schema: {} },
  ],
  ['gemini parts', gemini, (parts) => ({ contents: [{ role: 'user', parts }] }), { text: 'x' }],
  [
    'gemini system',
    gemini,
    (parts) => ({ systemInstruction: { parts }, contents: [{ parts: [{ text: 'x' }] }] }),
    { text: 'x' },
  ],
];

describe('what one message holds is bounded', () => {
  test.each(bodies)('%s', (_name, dialect, bodyOf, item) => {
    const read = (count: number) =>
      dialect.readRequest(
        { model: 'm', ...bodyOf(Array.from({ length: count }, () => item)) },
        { model: 'm' },
      );
    expect(read(4096).model).toBe('m');
    expect(() => read(4097)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
