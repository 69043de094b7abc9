import { describe, expect, it } from 'bun:test';
import type { Json, JsonObject } from '../core/json.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { ChatCodec } from './codec.ts';
import { convertingPassage } from './convert.ts';
import type { Dialect } from './dialect.ts';
import { objectOf, objectsOf } from './fields.ts';
import { geminiCodec } from './gemini/codec.ts';
import { gemini } from './gemini/dialect.ts';
import { ollama } from './ollama/wire.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

const CALLERS = {
  messages: { dialect: anthropicMessages, codec: messagesCodec },
  chat: { dialect: openaiChat, codec: openaiChatCodec },
  responses: { dialect: openaiResponses, codec: openaiResponsesCodec },
} satisfies Record<string, { dialect: Dialect; codec: ChatCodec }>;

const WIRES = {
  gemini: { spoken: gemini, upstream: { ...geminiCodec, id: 'gemini', readError: () => null } },
  ollama: { spoken: ollama, upstream: ollama },
};

/** What a conversation of one caller becomes on a wire that has no ids. */
function written(caller: keyof typeof CALLERS, body: JsonObject, wire: keyof typeof WIRES = 'gemini') {
  const passage = convertingPassage({
    caller: CALLERS[caller],
    ...WIRES[wire],
    path: {},
    requestId: 'r',
    createdSec: 0,
    defaultMaxTokens: 4096,
    thinkingToContent: false,
  });
  return passage.request({ model: 'm', ...body }, { model: 'm', stream: false, askUsage: true });
}

/** The results of all turns as Gemini is told them. */
const told = (body: JsonObject): Json[] =>
  objectsOf(body.contents).flatMap((content) =>
    objectsOf(content.parts).flatMap(({ functionResponse }) => {
      const response = objectOf(objectOf(functionResponse)?.response);
      return response ? [response.result ?? null] : [];
    }),
  );

const HI = { role: 'user', content: 'hi' };
const chatCalls = (...ids: string[]): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'Bash', arguments: '{}' } })),
});
const chatResult = (tool_call_id: string, content = `of ${tool_call_id}`): JsonObject => ({
  role: 'tool',
  tool_call_id,
  content,
});
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (tool_use_id: string): JsonObject => ({
  type: 'tool_result',
  tool_use_id,
  content: `of ${tool_use_id}`,
});

describe('results of calls made together, told as they ended', () => {
  it.each<[keyof typeof CALLERS, JsonObject]>([
    [
      'messages',
      {
        messages: [
          HI,
          { role: 'assistant', content: [use('slow'), use('fast')] },
          { role: 'user', content: [result('fast'), result('slow'), { type: 'text', text: 'and?' }] },
        ],
      },
    ],
    ['chat', { messages: [HI, chatCalls('slow', 'fast'), chatResult('fast'), chatResult('slow')] }],
    ['chat', { messages: [HI, chatCalls('slow', 'fast'), chatResult('fast'), HI, chatResult('slow'), HI] }],
    [
      'responses',
      {
        input: [
          HI,
          { type: 'function_call', call_id: 'slow', name: 'Bash', arguments: '{}' },
          { type: 'function_call', call_id: 'fast', name: 'Bash', arguments: '{}' },
          { type: 'function_call_output', call_id: 'fast', output: 'of fast' },
          { type: 'function_call_output', call_id: 'slow', output: 'of slow' },
        ],
      },
    ],
  ])('go up in the order of their calls: %s', (caller, body) => {
    expect(told(written(caller, body))).toEqual(['of slow', 'of fast']);
  });

  it('go up so on each wire without ids', () => {
    const messages = [HI, chatCalls('slow', 'fast'), chatResult('fast'), chatResult('slow')];
    const sent = objectsOf(written('chat', { messages }, 'ollama').messages);
    expect(sent.slice(2).map(({ content }) => content ?? null)).toEqual(['of slow', 'of fast']);
  });

  it('belong to the turn that they follow', () => {
    const turn = [chatCalls('a', 'b'), chatResult('b'), chatResult('a')];
    const next = [chatCalls('c', 'd'), chatResult('d'), chatResult('c')];
    expect(told(written('chat', { messages: [HI, ...turn, ...next] }))).toEqual([
      'of a',
      'of b',
      'of c',
      'of d',
    ]);
  });

  it('go up in that order where some are missing', () => {
    const messages = [HI, chatCalls('a', 'b', 'c'), chatResult('c'), chatResult('a')];
    expect(told(written('chat', { messages }))).toEqual(['of a', 'of c']);
  });

  it.each<[string, JsonObject[]]>([
    [
      'calls of one id',
      [chatCalls('a', 'b', 'a'), chatResult('b', '1'), chatResult('a', '2'), chatResult('a', '3')],
    ],
    [
      'a result that comes twice',
      [chatCalls('a', 'b'), chatResult('b', '1'), chatResult('a', '2'), chatResult('b', '3')],
    ],
    [
      'a result of no call here',
      [chatCalls('a', 'b'), chatResult('b', '1'), chatResult('x', '2'), chatResult('a', '3')],
    ],
    [
      'one that comes in a later turn',
      [chatCalls('a', 'b'), chatResult('b', '1'), { role: 'assistant', content: 'so' }, chatResult('a', '2')],
    ],
  ])('stay as they came with %s', (_name, messages) => {
    const results = told(written('chat', { messages: [HI, ...messages] }));
    expect(results).toEqual(results.toSorted());
    expect(results.length).toBeGreaterThan(1);
  });
});
