import { describe, expect, test } from 'bun:test';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { isTooLarge } from '../../core/too-large.ts';
import { Accumulator, eventsOf } from '../accumulate.ts';
import type { ReplyContext } from '../codec.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent } from '../neutral.ts';
import { openaiChatCodec as codec } from './codec.ts';

const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };

/** The events of chunks; `[DONE]` stands for itself. */
function read(chunks: (JsonObject | '[DONE]')[], isWhole = true): StreamEvent[] {
  const reader = codec.streamReader();
  const events = chunks.flatMap((chunk) =>
    reader.push({ event: '', data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) }),
  );
  return isWhole ? [...events, ...reader.end()] : events;
}

const chunk = (delta: JsonObject, finish: string | null = null, rest: JsonObject = {}): JsonObject => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest,
});
const partsOf = (chunks: (JsonObject | '[DONE]')[]): Part[] | undefined =>
  accumulate(read([...chunks, '[DONE]'])).choices[0]?.parts;
const call = (index: number | undefined, fields: JsonObject): JsonObject =>
  chunk({ tool_calls: [{ ...(index !== undefined && { index }), ...fields }] });
const called = (id: string, name: string, input: string) => ({
  type: 'tool-call',
  id,
  name,
  input,
  kind: 'function',
});

describe('reading chunks that nobody sends', () => {
  const calls = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => ({
      index: from + n,
      id: `c${from + n}`,
      function: { name: 'f', arguments: '{}' },
    }));

  test('more calls than an answer has are beyond our bounds, in one chunk or in many', () => {
    const pieces = Array.from({ length: 1_200 }, (_, n) => chunk({ tool_calls: calls(1, n) }));
    for (const chunks of [[chunk({ tool_calls: calls(30_000) })], pieces]) {
      let thrown: unknown;
      try {
        read(chunks);
      } catch (error) {
        thrown = error;
      }
      expect(isTooLarge(thrown)).toBe(true);
    }
    const most = read([chunk({ tool_calls: calls(limits.streamCalls) }, 'tool_calls'), '[DONE]']);
    expect(most.at(-1)?.type).toBe('end');
  });

  test('a call goes on by its id where its index is another or none', () => {
    const parts = partsOf([
      call(0, { id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      call(1, { id: 'b', function: { name: 'g', arguments: '{"y"' } }),
      call(undefined, { id: 'a', function: { arguments: ':1}' } }),
      call(7, { id: 'b', function: { arguments: ':2}' } }),
    ]);
    expect(parts).toMatchObject([called('a', 'f', '{"x":1}'), called('b', 'g', '{"y":2}')]);
  });
});

describe('reading chunks as vendors send them', () => {
  test('everything may come in the first chunk', () => {
    const all = chunk(
      {
        role: 'assistant',
        reasoning_content: 'hm',
        content: 'ok',
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
      },
      'tool_calls',
      { usage },
    );
    const reply = accumulate(read([all]));
    expect(reply.choices[0]).toMatchObject({
      parts: [{ type: 'thinking', text: 'hm' }, { type: 'text', text: 'ok' }, called('a', 'f', '{}')],
      stop: 'tool-calls',
    });
    expect(reply.usage).toMatchObject({ input: 9, output: 5 });
  });

  test('the end waits for usage that comes after the reason, and the last usage counts', () => {
    const events = read([
      chunk({ content: 'a' }, null, { usage: { prompt_tokens: 9, completion_tokens: 1 } }),
      chunk({}, 'length'),
      { id: 'c1', choices: [], usage },
      '[DONE]',
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'part-start',
      'part-delta',
      'usage',
      'usage',
      'part-end',
      'stop',
      'end',
    ]);
    expect(accumulate(events).usage?.output).toBe(5);
  });

  test('pieces of parallel calls may come in any order', () => {
    expect(
      partsOf([
        call(0, { id: 'a', function: { name: 'f', arguments: '' } }),
        call(1, { id: 'b', function: { name: 'g', arguments: '{"y"' } }),
        call(0, { function: { arguments: '{"x":' } }),
        call(1, { function: { arguments: ':2}' } }),
        call(0, { function: { arguments: '1}' } }),
      ]),
    ).toMatchObject([called('a', 'f', '{"x":1}'), called('b', 'g', '{"y":2}')]);
  });

  test('text between the pieces of a call tears it apart no more than it must', () => {
    expect(
      partsOf([
        call(0, { id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        chunk({ content: 'wait' }),
        call(0, { function: { arguments: ':1}' } }),
      ]),
    ).toMatchObject([called('a', 'f', '{"x":1}'), { type: 'text', text: 'wait' }]);
  });

  test.each<[string, JsonObject[], ReturnType<typeof called>[]]>([
    [
      'an empty id repeats the running one',
      [
        call(0, { id: 'a', function: { name: 'f', arguments: '' } }),
        call(0, { id: '', function: { arguments: '{}' } }),
      ],
      [called('a', 'f', '{}')],
    ],
    [
      'without an index a new id is a new call',
      [
        call(undefined, { id: 'a', function: { name: 'f', arguments: '{"x":1}' } }),
        call(undefined, { id: 'b', function: { name: 'g', arguments: '{}' } }),
      ],
      [called('a', 'f', '{"x":1}'), called('b', 'g', '{}')],
    ],
    [
      'without index and id a piece goes on with the running call',
      [
        call(undefined, { id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        call(undefined, { function: { arguments: ':1}' } }),
      ],
      [called('a', 'f', '{"x":1}')],
    ],
    [
      'one index for several calls, told apart by their ids',
      [
        call(0, { id: 'a', function: { name: 'f', arguments: '{}' } }),
        call(0, { id: 'b', function: { name: 'f', arguments: '{"x":1}' } }),
      ],
      [called('a', 'f', '{}'), called('b', 'f', '{"x":1}')],
    ],
    [
      'one index for several whole calls without ids',
      [
        call(0, { function: { name: 'f', arguments: '{"x":1}' } }),
        call(0, { function: { name: 'f', arguments: '{"x":2}' } }),
      ],
      [called('call_c1_0_0', 'f', '{"x":1}'), called('call_c1_0_1', 'f', '{"x":2}')],
    ],
    [
      'a name that is said with each piece',
      [
        call(0, { id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        call(0, { function: { name: 'f', arguments: ':1}' } }),
        call(0, { function: { name: 'f', arguments: '' } }),
      ],
      [called('a', 'f', '{"x":1}')],
    ],
    [
      'an id that changes under way is no new call',
      [
        call(0, { id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        call(0, { id: 'z', function: { arguments: ':1}' } }),
      ],
      [called('a', 'f', '{"x":1}')],
    ],
    [
      'the name may follow the first piece',
      [
        call(0, { id: 'a', function: { arguments: '{"x"' } }),
        call(0, { function: { name: 'f', arguments: ':1}' } }),
      ],
      [called('a', 'f', '{"x":1}')],
    ],
    [
      'arguments that never come are none',
      [call(0, { id: 'a', function: { name: 'f' } })],
      [called('a', 'f', '{}')],
    ],
    [
      'arguments may be an object',
      [call(0, { id: 'a', function: { name: 'f', arguments: { x: 1 } } })],
      [called('a', 'f', '{"x":1}')],
    ],
    [
      'a call without an id gets one',
      [call(0, { function: { name: 'f' } })],
      [called('call_c1_0_0', 'f', '{}')],
    ],
  ])('%s', (_name, chunks, expected) => {
    expect(partsOf(chunks)).toEqual(expected as Part[]);
  });

  test('the deprecated function call is a call', () => {
    const reply = accumulate(
      read([
        chunk({ function_call: { name: 'f', arguments: '' } }),
        chunk({ function_call: { arguments: '{"x":1}' } }),
        chunk({}, 'function_call'),
        '[DONE]',
      ]),
    );
    expect(reply.choices[0]).toMatchObject({ parts: [{ name: 'f', input: '{"x":1}' }], stop: 'tool-calls' });
  });

  test('empty pieces begin nothing', () => {
    const events = read([
      chunk({ role: 'assistant', content: '', reasoning_content: '' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
    expect(events.map(({ type }) => type)).toEqual(['start', 'stop', 'end']);
  });

  test('no reason at all is a plain end when the marker came, and a cut when it did not', () => {
    expect(accumulate(read([chunk({ content: 'a' }), '[DONE]'])).choices[0]?.stop).toBe('stop');
    const cut = read([chunk({ content: 'a' })]);
    expect(cut.map(({ type }) => type)).toEqual(['start', 'part-start', 'part-delta', 'part-end']);
  });

  test('an answer with its reason is complete though the marker never came', () => {
    expect(read([chunk({ content: 'a' }, 'stop')]).at(-1)).toEqual({ type: 'end' });
  });

  test.each<[string, JsonObject, object]>([
    [
      'an error object',
      { error: { message: 'm', type: 't', code: 503 } },
      { message: 'm', kind: 't', code: '503' },
    ],
    ['a text', { error: 'm' }, { message: 'm' }],
    ['an object that is an error', { object: 'error', message: 'm', type: 't' }, { message: 'm', kind: 't' }],
    ['a reason that is an error', chunk({}, 'error'), {}],
  ])('%s ends the stream with an error', (_name, failure, expected) => {
    const stream = new Accumulator();
    const events = read([chunk({ content: 'a' }), failure, chunk({ content: 'b' }), '[DONE]']);
    for (const event of events) stream.push(event);
    expect(stream.error).toMatchObject(expected);
    expect(stream.complete).toBe(false);
    expect(stream.reply.choices[0]?.parts).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('a torn chunk is an error and a heartbeat is nothing', () => {
    const reader = codec.streamReader();
    expect(reader.push({ event: '', data: '' })).toEqual([]);
    expect(reader.push({ event: '', data: 'ping' })).toEqual([]);
    expect(reader.push({ event: '', data: '{"choices":[{"de' })).toMatchObject([{ type: 'error' }]);
  });

  test('several answers are told apart', () => {
    const both: JsonObject = {
      id: 'c1',
      choices: [
        { index: 1, delta: { content: 'b' }, finish_reason: 'length' },
        { index: 0, delta: { content: 'a' }, finish_reason: 'stop' },
      ],
    };
    expect(accumulate(read([both, '[DONE]'])).choices).toMatchObject([
      { index: 0, parts: [{ text: 'a' }], stop: 'stop' },
      { index: 1, parts: [{ text: 'b' }], stop: 'length' },
    ]);
  });

  test('a stop that calls tools waits for them', () => {
    const chunks = [call(0, { id: 'a', function: { name: 'f' } }), chunk({}, 'stop')];
    expect(accumulate(read(chunks)).choices[0]?.stop).toBe('tool-calls');
  });

  test('a whole message beside deltas is not read twice', () => {
    const repeat = {
      id: 'c1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ab' }, finish_reason: 'stop' }],
    };
    expect(partsOf([chunk({ content: 'a' }), chunk({ content: 'b' }), repeat])).toEqual([
      { type: 'text', text: 'ab' },
    ]);
    expect(partsOf([repeat])).toEqual([{ type: 'text', text: 'ab' }]);
  });

  test('proofs of reasoning come back word for word', () => {
    const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
    const [part] =
      partsOf([
        chunk({ reasoning: 'h', reasoning_details: [{ ...detail, text: 'h' }] }),
        chunk({ reasoning: 'm', reasoning_details: [{ ...detail, text: 'm' }] }),
        chunk({ reasoning_details: [{ ...detail, signature: 'c2ln' }] }),
      ]) ?? [];
    expect(part).toMatchObject({ type: 'thinking', text: 'hm', origin: 'openai-chat' });
    expect(JSON.parse((part?.type === 'thinking' && part.signature) || '')).toEqual({
      ...detail,
      signature: 'c2ln',
    });
  });
});

// ---- Writing -----------------------------------------------------------------------------------------------------

const request = (fields: Partial<ChatRequest> = {}): ChatRequest => ({
  dialect: 'openai-chat',
  model: 'asked',
  stream: true,
  messages: [],
  tools: [],
  extra: {},
  ...fields,
});
const contextOf = (fields: Partial<ReplyContext> = {}): ReplyContext => ({
  model: 'asked',
  createdSec: 7,
  requestId: 'r1',
  request: request(),
  wantsUsage: false,
  ...fields,
});
const replyOf = (parts: Part[], fields: Partial<ChatReply> = {}): ChatReply => ({
  id: 'x1',
  model: 'm',
  created: 0,
  choices: [{ index: 0, parts, stop: 'stop' }],
  usage: null,
  extra: {},
  ...fields,
});

/** The chunks of an answer, as a client parses them. */
function chunksOf(events: StreamEvent[], context = contextOf()): JsonObject[] {
  const writer = codec.streamWriter(context);
  const text = events.map((event) => writer.write(event)).join('');
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as JsonObject);
}
const deltasOf = (parts: Part[], context?: ReplyContext) =>
  chunksOf(eventsOf(replyOf(parts)), context).map(({ choices }) => {
    const [choice] = choices as { delta: JsonObject; finish_reason: string | null }[];
    return choice?.finish_reason ?? choice?.delta;
  });
const ROLE = { role: 'assistant', content: '', refusal: null };

describe('writing chunks', () => {
  test('the role comes first, then the pieces, then the reason', () => {
    const thinking: Part = { type: 'thinking', text: 'hm', origin: 'gemini' };
    expect(deltasOf([thinking, { type: 'text', text: 'ok' }])).toEqual([
      ROLE,
      { reasoning_content: 'hm' },
      { content: 'ok' },
      'stop',
    ]);
  });

  test('every chunk carries the id, the time and the model that was asked for', () => {
    for (const written of chunksOf(eventsOf(replyOf([{ type: 'text', text: 'ok' }])))) {
      expect(written).toMatchObject({
        id: 'chatcmpl-x1',
        object: 'chat.completion.chunk',
        created: 7,
        model: 'asked',
      });
      expect(written).not.toHaveProperty('usage');
    }
  });

  test('usage comes in a chunk of its own when it was asked for, and is null before', () => {
    const whole = replyOf([{ type: 'text', text: 'ok' }], {
      usage: {
        ...accumulate(read([{ id: 'c1', choices: [], usage }, '[DONE]'])).usage,
      } as ChatReply['usage'],
    });
    const chunks = chunksOf(eventsOf(whole), contextOf({ wantsUsage: true }));
    expect(chunks.slice(0, -1).map((written) => written.usage)).toEqual([null, null, null]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
  });

  test('calls are numbered in their answer; a call without arguments has an empty object', () => {
    const calls: Part[] = [
      { type: 'tool-call', id: 'a', name: 'f', input: '', kind: 'function' },
      { type: 'tool-call', id: 'b', name: 'g', input: '{"x":1}', kind: 'function', signature: 'c2ln' },
    ];
    expect(deltasOf(calls).slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      {
        tool_calls: [
          {
            index: 1,
            id: 'b',
            type: 'function',
            function: { name: 'g', arguments: '' },
            extra_content: { google: { thought_signature: 'c2ln' } },
          },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{"x":1}' } }] },
    ]);
  });

  test('a custom tool that was called as a function gets its text back', () => {
    const context = contextOf({ request: request({ tools: [{ type: 'custom', name: 'sql' }] }) });
    const part: Part = {
      type: 'tool-call',
      id: 'a',
      name: 'sql',
      input: '{"input":"SELECT 1"}',
      kind: 'function',
    };
    expect(deltasOf([part], context).slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'SELECT 1' } }] },
    ]);
  });

  test('a caller who speaks of functions gets a function call', () => {
    const context = contextOf({ request: request({ extra: { functions: [] } }) });
    const whole = replyOf([{ type: 'tool-call', id: 'a', name: 'f', input: '{"x":1}', kind: 'function' }]);
    const [choice] = whole.choices;
    if (choice) choice.stop = 'tool-calls';
    const said = chunksOf(eventsOf(whole), context).flatMap(({ choices }) => choices as JsonObject[]);
    expect(said.map(({ delta }) => delta)).toEqual([
      ROLE,
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"x":1}' } },
      {},
    ]);
    expect(said.at(-1)?.finish_reason).toBe('function_call');
    expect(codec.writeReply(whole, context)).toMatchObject({
      choices: [
        { message: { function_call: { name: 'f', arguments: '{"x":1}' } }, finish_reason: 'function_call' },
      ],
    });
  });

  test('citations name the place in the whole content', () => {
    const citation = (url: string, place: { start?: number; end?: number } = {}) => ({
      kind: 'url' as const,
      url,
      title: url,
      ...place,
      raw: { dialect: 'anthropic-messages' as const, value: {} },
    });
    const parts: Part[] = [
      { type: 'text', text: 'abc' },
      { type: 'text', text: 'defg', citations: [citation('u1'), citation('u2', { start: 1, end: 2 })] },
    ];
    const annotations = [
      { type: 'url_citation', url_citation: { start_index: 3, end_index: 7, url: 'u1', title: 'u1' } },
      { type: 'url_citation', url_citation: { start_index: 4, end_index: 5, url: 'u2', title: 'u2' } },
    ];
    expect(deltasOf(parts)).toContainEqual({ annotations });
    expect(codec.writeReply(replyOf(parts), contextOf())).toMatchObject({
      choices: [{ message: { content: 'abcdefg', annotations } }],
    });
  });

  test('an error is a frame with an error object', () => {
    expect(chunksOf([{ type: 'error', message: 'm', code: 'c', kind: 'k' }])).toEqual([
      { error: { message: 'm', type: 'k', param: null, code: 'c' } },
    ]);
  });

  test('the proof of thinking goes through the caller and comes back to its maker', () => {
    const thinking: Part = { type: 'thinking', text: 'hm', origin: 'anthropic-messages', signature: 'c2ln' };
    const stop: Part = { type: 'text', text: 'ok' };
    for (const details of [
      deltasOf([thinking, stop]).flatMap((delta) =>
        typeof delta === 'object' ? (delta.reasoning_details ?? []) : [],
      ),
      messageOf(replyOf([thinking, stop])).reasoning_details,
    ]) {
      const message = {
        role: 'assistant',
        content: 'ok',
        reasoning_content: 'hm',
        reasoning_details: details,
      } as JsonObject;
      expect(codec.readRequest({ messages: [message] }, {}).messages[0]?.parts).toEqual([thinking, stop]);
    }
  });
});

function messageOf(whole: ChatReply): JsonObject {
  const { choices } = codec.writeReply(whole, contextOf());
  const [choice] = choices as { message: JsonObject }[];
  return choice?.message ?? {};
}

describe('whole answers', () => {
  test('an answer of calls only has no content', () => {
    const whole = replyOf([{ type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' }]);
    expect(messageOf(whole)).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    });
    expect(messageOf(replyOf([]))).toMatchObject({ content: '' });
  });

  test('sounds and images of an answer are read as they are written', () => {
    const parts: Part[] = [
      {
        type: 'image',
        source: { kind: 'data', mediaType: 'image/png', data: 'aGk=' },
        extra: { beside: true },
      },
    ];
    const sound: Part = {
      type: 'audio',
      source: { kind: 'data', mediaType: 'audio/wav', data: 'aGk=' },
      format: 'wav',
      transcript: 'hi',
      id: 'audio_1',
      expiresAt: 9,
      extra: { beside: true },
    };
    const body = codec.writeReply(replyOf([sound, ...parts]), contextOf());
    expect(codec.readReply(body).choices[0]?.parts).toEqual([sound, ...parts]);
  });

  test('a refusal stands in its own field', () => {
    const whole = replyOf([{ type: 'refusal', text: 'no' }]);
    expect(messageOf(whole)).toMatchObject({ content: null, refusal: 'no' });
    expect(codec.readReply(codec.writeReply(whole, contextOf())).choices[0]?.parts).toEqual([
      { type: 'refusal', text: 'no' },
    ]);
  });
});
