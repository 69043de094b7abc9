import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { carry } from '../carried.ts';
import { anthropicMessages } from './dialect.ts';

const REQUEST: JsonObject = {
  model: 'claude-x',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'hi' }],
};
const facts = (change: JsonObject) => anthropicMessages.readRequest({ ...REQUEST, ...change }, {});

/** The reason of the refusal. */
function refusal(change: JsonObject): string {
  try {
    facts(change);
  } catch (error) {
    if (error instanceof Error && 'text' in error && typeof error.text === 'function')
      return error.text('en');
    throw error;
  }
  throw new Error('the request was accepted');
}

describe('requests', () => {
  test('facts of a request', () => {
    const read = facts({
      stream: true,
      system: 'be brief',
      metadata: { user_id: 'u' },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'é' },
            { type: 'image', source: { type: 'url', url: 'https://i.example' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
          ],
        },
      ],
    });
    expect(read).toMatchObject({
      model: 'claude-x',
      stream: true,
      outputCap: 10,
      choices: 1,
      wantsUsage: true,
      affinity: 'u',
      prompt: { textBytes: 10, images: [{ detail: 'auto' }], files: 1, fileBytes: 3 },
    });
    expect(read.prompt.tools?.bytes).toBeGreaterThan(10);
  });

  test.each<[JsonObject, string]>([
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ max_tokens: 10_000_001 }, 'max_tokens'],
    [{ model: undefined }, 'model'],
    [{ model: 'a\0b' }, 'model'],
    [{ model: 5 }, 'model'],
    [{ stream: 'yes' }, 'stream'],
    [{ messages: undefined }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: Array(4097).fill({ role: 'user', content: 'a' }) }, 'messages'],
    [{ messages: ['hi'] }, 'messages[0]'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }, 'messages[0].content[0].text'],
    [{ messages: [{ role: 'user', content: [5] }] }, 'messages[0].content[0]'],
    [{ system: 5 }, 'system'],
    [{ tools: {} }, 'tools'],
    [{ thinking: 'on' }, 'thinking'],
  ])('%o is refused by its field', (change, field) => {
    expect(refusal(change)).toContain(`'${field}'`);
  });

  test('what goes up is what came, but for the model', () => {
    const body = { ...REQUEST, new_field: { a: 1 }, stream: true };
    expect(anthropicMessages.forward(body, { model: 'up', stream: true, askUsage: true })).toEqual({
      ...body,
      model: 'up',
    });
  });

  test('what answers of other makers left in the history does not go up', () => {
    const foreign = carry({ origin: 'gemini', signature: 'x' }) ?? '';
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: foreign },
          { type: 'thinking', thinking: 'hm', signature: '' },
          { type: 'thinking', thinking: 'own', signature: 'c2ln' },
          {
            type: 'tool_use',
            id: 'a',
            name: 'f',
            input: {},
            extra_content: { google: { thought_signature: 's' } },
          },
        ],
      },
    ];
    const up = anthropicMessages.forward(
      { ...REQUEST, messages },
      { model: 'm', stream: false, askUsage: false },
    );
    expect(up.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'own', signature: 'c2ln' },
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
        ],
      },
    ]);
  });

  test('but for thoughts where they are wanted, each as it came or without a proof', () => {
    const foreign = carry({ origin: 'gemini', signature: 'x' }) ?? '';
    const thought = (signature?: string) => ({
      type: 'thinking',
      thinking: 'hm',
      ...(signature !== undefined && { signature }),
    });
    const messages = [
      { role: 'assistant', content: [foreign, '', undefined, 'c2ln'].map((proof) => thought(proof)) },
    ];
    const set = { model: 'm', stream: false, askUsage: false, wantsThoughts: true };
    expect(anthropicMessages.forward({ ...REQUEST, messages }, set).messages).toEqual([
      { role: 'assistant', content: ['', '', '', 'c2ln'].map((proof) => thought(proof)) },
    ]);
  });

  test('nor a turn of which nothing else is left, but one that came empty', () => {
    const said = { role: 'user', content: 'go on' };
    const thought = { type: 'thinking', thinking: 'hm', signature: '' };
    const messages = [
      said,
      { role: 'assistant', content: [thought] },
      said,
      { role: 'assistant', content: [] },
    ];
    const set = { model: 'm', stream: false, askUsage: false };
    expect(anthropicMessages.forward({ ...REQUEST, messages }, set).messages).toEqual([
      said,
      said,
      { role: 'assistant', content: [] },
    ]);
  });

  test("the operator's text goes before the caller's, and only where it may", () => {
    const add = (system: JsonObject[string], override: boolean) =>
      anthropicMessages.addSystem({ ...REQUEST, system }, 'ours', override).system;
    expect(add(undefined, false)).toBe('ours');
    expect(add('theirs', false)).toBe('theirs');
    expect(add('theirs', true)).toBe('ours\ntheirs');
    expect(add([{ type: 'text', text: 'theirs' }], true)).toEqual([
      { type: 'text', text: 'ours' },
      { type: 'text', text: 'theirs' },
    ]);
  });
});

describe('answers', () => {
  test('an error with status 200 is an error, and so is an object without content', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(anthropicMessages.readReply(error).error).toMatchObject({
      type: 'overloaded_error',
      message: 'Overloaded',
    });
    expect(anthropicMessages.readReply({ ok: true }).error).not.toBeNull();
  });

  test('what was produced can be counted', () => {
    const reply = anthropicMessages.readReply({
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'ok' },
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      ],
      stop_reason: 'tool_use',
    });
    const counts = { toolCalls: 1, seconds: 0, pictures: 0 };
    expect(reply.produced()).toEqual({ text: 'hmokf{"x":1}', ...counts, thinks: true });
    expect(reply).toMatchObject({ error: null, finishReason: 'tool_use', usage: null });
  });
});

describe('streams', () => {
  const frame = (data: JsonObject) => ({ event: String(data.type), data: JSON.stringify(data) });
  const bytes = (data: JsonObject) => Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  const start = {
    type: 'message_start',
    message: { usage: { input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 1 } },
  };
  const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } };
  const stop = { type: 'message_stop' };
  const error = { type: 'error', error: { type: 'api_error', message: 'broken' } };

  test('content, usage and the last frame are told', () => {
    const tap = anthropicMessages.tap({ wantsUsage: false });
    expect(tap.read(frame(start))).toEqual({ content: false, drop: false, last: false, error: null });
    const empty = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    expect(tap.read(frame(empty)).content).toBe(false);
    expect(tap.read(frame({ type: 'ping' })).content).toBe(false);
    expect(tap.read(frame(text)).content).toBe(true);
    expect(tap.complete).toBe(false);
    expect(tap.read(frame(end)).last).toBe(false);
    expect(tap.complete).toBe(true);
    expect(tap.read(frame(stop))).toMatchObject({ last: true, drop: false });
    expect(tap.usage).toEqual({ ...noUsage(), input: 5, cacheWrite: 3, output: 7, untoldWrites: 3 });
    expect(tap.finishReason).toBe('end_turn');
  });

  test('only the frames that say more than content are read', () => {
    const tap = anthropicMessages.tap({ wantsUsage: false });
    expect([start, text, end, stop, error].map((event) => tap.wants(bytes(event)))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  test('an error in a stream is told with its type', () => {
    expect(anthropicMessages.tap({ wantsUsage: false }).read(frame(error))).toMatchObject({
      drop: true,
      error: { type: 'api_error', message: 'broken' },
    });
  });

  test('what of the content is a summary of the conversation is told', () => {
    const tap = anthropicMessages.tap({ wantsUsage: false });
    const begun = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'compaction', content: '日' },
    };
    const more = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'compaction_delta', content: 'so far' },
    };
    expect([begun, more].map((event) => tap.wants(bytes(event)))).toEqual([true, true]);
    expect([begun, more, text].map((event) => tap.read(frame(event)).content)).toEqual([true, true, true]);
    expect(tap.summaryBytes).toBe(9);
  });

  test('what a frame produced can be counted', () => {
    const tap = anthropicMessages.tap({ wantsUsage: false });
    expect(tap.produced(frame(text))).toEqual({ text: 'a', toolCalls: 0 });
    // A context that was summed up on the way is written like an answer.
    const summary = { type: 'content_block_delta', delta: { type: 'compaction_delta', content: 'so far' } };
    expect(tap.produced(frame(summary))).toEqual({ text: 'so far', toolCalls: 0 });
    const block = { type: 'content_block_start', content_block: { type: 'compaction', content: 'so' } };
    expect(tap.produced(frame(block))).toEqual({ text: 'so', toolCalls: 0 });
    const call = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', name: 'f', input: {} },
    };
    expect(tap.produced(frame(call))).toEqual({ text: 'f', toolCalls: 1 });
  });
});

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [422, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [502, 'api_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('status %d is the error type %s', (status, type) => {
  const error = { status, code: 'some_code', message: 'Text (request id: 1)' };
  const said = { type, message: 'Text (request id: 1)', code: 'some_code' };
  expect(anthropicMessages.errorBody(error)).toEqual({ type: 'error', error: said });
  expect(anthropicMessages.errorFrame(error)).toBe(
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: said })}\n\n`,
  );
});
