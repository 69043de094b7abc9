import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import { replyOf } from '../../../tests/dialects/arbitrary.ts';
import { eventsOfFrames, pieces, sseFrames } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { eventsOf, joinedText } from '../accumulate.ts';
import { carry } from '../carried.ts';
import type { ReplyContext } from '../codec.ts';
import type { ChatReply, Part, StreamEvent } from '../neutral.ts';
import { messagesCodec } from './codec.ts';
import { frame } from './write-stream.ts';

const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 },
  },
};
const start = (index: number, content_block: JsonObject) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, piece: JsonObject) => ({ type: 'content_block_delta', index, delta: piece });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const END = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 12 },
  },
  { type: 'message_stop' },
];

const THOUGHTFUL: JsonObject[] = [
  START,
  start(0, { type: 'thinking', thinking: '', signature: '' }),
  { type: 'ping' },
  delta(0, { type: 'thinking_delta', thinking: 'hm' }),
  delta(0, { type: 'signature_delta', signature: 'c2ln' }),
  stop(0),
  start(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'o' }),
  delta(1, { type: 'text_delta', text: 'k é 🙂' }),
  stop(1),
  start(2, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"query":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"q"}' }),
  stop(2),
  start(3, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
  delta(3, { type: 'input_json_delta', partial_json: '' }),
  delta(3, { type: 'input_json_delta', partial_json: '{"x":' }),
  delta(3, { type: 'input_json_delta', partial_json: '1}' }),
  stop(3),
  start(4, { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} }),
  stop(4),
  ...END,
];

const bytesOf = (events: readonly JsonObject[]): Uint8Array =>
  Buffer.from(events.map(({ type, ...fields }) => frame(String(type), fields)).join(''));

const read = (events: readonly JsonObject[]): StreamEvent[] =>
  eventsOfFrames(messagesCodec.streamReader(), sseFrames([bytesOf(events)]));

const PARTS: Part[] = [
  { type: 'thinking', text: 'hm', signature: 'c2ln', origin: 'anthropic-messages' },
  { type: 'text', text: 'ok é 🙂' },
  {
    type: 'raw',
    dialect: 'anthropic-messages',
    value: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
  },
  { type: 'tool-call', id: 'toolu_1', name: 'f', input: '{"x":1}', kind: 'function' },
  { type: 'tool-call', id: 'toolu_2', name: 'g', input: '{}', kind: 'function' },
];

describe('reading', () => {
  test('blocks become parts, with whole arguments and the last usage', () => {
    expect(accumulate(read(THOUGHTFUL))).toMatchObject({
      id: 'msg_1',
      model: 'claude-x',
      choices: [{ index: 0, parts: PARTS, stop: 'tool-calls', rawStop: 'tool_use' }],
      usage: { ...noUsage(), input: 10, cacheRead: 4, output: 12 },
    });
    expect(read(THOUGHTFUL).at(-1)).toEqual({ type: 'end' });
  });

  test('however the bytes are cut, the events are the same', () => {
    const bytes = bytesOf(THOUGHTFUL);
    const whole = read(THOUGHTFUL);
    fc.assert(
      fc.property(pieces(bytes), (chunks) => {
        expect(eventsOfFrames(messagesCodec.streamReader(), sseFrames(chunks))).toEqual(whole);
      }),
    );
  });

  test('a stream that was cut has no end, and its open parts close without made-up arguments', () => {
    const events = read(THOUGHTFUL.slice(0, -3));
    expect(events.at(-1)).toEqual({ type: 'part-end', choice: 0, index: 4 });
    expect(accumulate(events).choices[0]).toMatchObject({
      stop: null,
      parts: [...PARTS.slice(0, 4), { input: '' }],
    });
  });

  test('an answer that said why it ended is complete without its last event', () => {
    expect(read(THOUGHTFUL.slice(0, -1)).at(-1)).toEqual({ type: 'end' });
  });

  test('an error is told and ends nothing', () => {
    const events = read([
      START,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ]);
    expect(events.slice(1)).toEqual([{ type: 'error', message: 'Overloaded', kind: 'overloaded_error' }]);
  });

  test('content that the start brings along is read, and a second start is none', () => {
    const message = {
      ...START.message,
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } }],
      stop_reason: 'tool_use',
    };
    const reply = accumulate(read([{ ...START, message }, START, { type: 'message_stop' }]));
    expect(reply.choices).toEqual([
      {
        index: 0,
        parts: [{ type: 'tool-call', id: 'toolu_1', name: 'f', input: '{"x":1}', kind: 'function' }],
        stop: 'tool-calls',
        rawStop: 'tool_use',
      },
    ]);
  });

  test('redacted thinking and citations come through', () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a.example',
      title: 'A',
      cited_text: 'c',
    };
    const reply = accumulate(
      read([
        START,
        start(0, { type: 'redacted_thinking', data: 'ZA==' }),
        stop(0),
        start(1, { type: 'text', text: '', citations: [] }),
        delta(1, { type: 'citations_delta', citation }),
        delta(1, { type: 'text_delta', text: 'so' }),
        stop(1),
        ...END,
      ]),
    );
    expect(reply.choices[0]?.parts).toEqual([
      { type: 'thinking', text: '', encrypted: 'ZA==', origin: 'anthropic-messages' },
      {
        type: 'text',
        text: 'so',
        citations: [
          {
            kind: 'url',
            url: 'https://a.example',
            title: 'A',
            citedText: 'c',
            raw: { dialect: 'anthropic-messages', value: citation },
          },
        ],
      },
    ]);
  });
});

const CONTEXT: ReplyContext = {
  model: 'asked',
  createdSec: 1,
  requestId: 'req',
  request: {
    dialect: 'anthropic-messages',
    model: 'asked',
    stream: true,
    messages: [],
    tools: [],
    extra: {},
  },
  wantsUsage: true,
};

function write(events: readonly StreamEvent[]): JsonObject[] {
  const writer = messagesCodec.streamWriter(CONTEXT);
  const text = events.map((event) => writer.write(event)).join('');
  const frames = sseFrames([Buffer.from(text)]);
  for (const { event, data } of frames) expect(JSON.parse(data).type).toBe(event);
  return frames.map(({ data }) => JSON.parse(data));
}

describe('writing', () => {
  test('blocks follow one another, though calls overlap', () => {
    const call = (id: string): Part => ({ type: 'tool-call', id, name: 'f', input: '', kind: 'function' });
    const input = (index: number, text: string): StreamEvent => ({
      type: 'part-delta',
      choice: 0,
      index,
      delta: { type: 'input', text },
    });
    const frames = write([
      { type: 'start', id: 'x', model: 'm', created: 0, usage: null },
      { type: 'part-start', choice: 0, index: 0, part: call('a') },
      { type: 'part-start', choice: 0, index: 1, part: call('b') },
      input(1, '{"b"'),
      input(0, '{"a":1}'),
      input(1, ':2}'),
      { type: 'part-end', choice: 0, index: 0 },
      { type: 'part-end', choice: 0, index: 1 },
      { type: 'stop', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ]);
    expect(frames.map(({ type, index }) => [type, index])).toEqual([
      ['message_start', undefined],
      ['content_block_start', 0],
      ['content_block_delta', 0],
      ['content_block_stop', 0],
      ['content_block_start', 1],
      ['content_block_delta', 1],
      ['content_block_delta', 1],
      ['content_block_stop', 1],
      ['message_delta', undefined],
      ['message_stop', undefined],
    ]);
  });

  test('thoughts without a proof are told to have none', () => {
    const frames = write([
      {
        type: 'part-start',
        choice: 0,
        index: 0,
        part: { type: 'thinking', text: '', origin: 'openai-chat' },
      },
      { type: 'part-delta', choice: 0, index: 0, delta: { type: 'thinking', text: 'hm' } },
      { type: 'part-end', choice: 0, index: 0 },
      { type: 'stop', choice: 0, stop: 'stop' },
      { type: 'end' },
    ]);
    const deltas = frames.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta);
    expect(deltas).toEqual([
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'signature_delta', signature: '' },
    ]);
  });

  test('an answer without content has an empty text block', () => {
    const frames = write([{ type: 'stop', choice: 0, stop: 'refusal' }, { type: 'end' }]);
    expect(frames.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(frames[3]?.delta).toEqual({ stop_reason: 'refusal', stop_sequence: null });
  });

  test('a cut stream ends with its error and nothing else', () => {
    const frames = write([
      { type: 'start', id: 'x', model: 'm', created: 0, usage: null },
      { type: 'error', message: 'gone' },
    ]);
    expect(frames.at(-1)).toEqual({ type: 'error', error: { type: 'api_error', message: 'gone' } });
  });

  test('proofs of other makers travel in the signature and come back whole', () => {
    const part: Part = {
      type: 'thinking',
      text: 'hm',
      encrypted: 'gAAAA',
      id: 'rs_1',
      summary: true,
      origin: 'openai-responses',
    };
    const reply: ChatReply = {
      id: 'r',
      model: 'm',
      created: 0,
      choices: [{ index: 0, parts: [part], stop: 'stop' }],
      usage: null,
      extra: {},
    };
    const [block] = messagesCodec.writeReply(reply, CONTEXT).content as JsonObject[];
    expect(block).toEqual({ type: 'thinking', thinking: 'hm', signature: carry(part) });
    const request = messagesCodec.readRequest(
      { messages: [{ role: 'assistant', content: [block ?? {}] }] },
      {},
    );
    expect(request.messages[0]?.parts).toEqual([part]);
  });
});

const eventsOfWritten = (events: readonly StreamEvent[]): StreamEvent[] => {
  const writer = messagesCodec.streamWriter(CONTEXT);
  const text = events.map((event) => writer.write(event)).join('');
  return eventsOfFrames(messagesCodec.streamReader(), sseFrames([Buffer.from(text)]));
};

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const ownPart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({
    type: fc.constant('thinking' as const),
    text: words,
    signature: words,
    origin: fc.constant('anthropic-messages' as const),
  }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: words,
    name: words,
    input: fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value)),
    kind: fc.constant('function' as const),
  }),
);

test('an answer comes back through stream and body alike, whatever is in it', () => {
  fc.assert(
    fc.property(replyOf(ownPart, 1), (reply) => {
      const [choice] = reply.choices;
      const streamed = accumulate(eventsOfWritten(eventsOf(reply)));
      const whole = messagesCodec.readReply(messagesCodec.writeReply(reply, CONTEXT));
      expect(whole.choices[0]?.parts).toEqual(choice?.parts ?? []);
      expect(streamed.choices[0]?.parts ?? []).toEqual(choice?.parts ?? []);
      expect(streamed.usage).toEqual(whole.usage);
      expect(joinedText(streamed.choices[0]?.parts ?? [])).toBe(joinedText(choice?.parts ?? []));
    }),
  );
});
