import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import { writeChunk, writeEvent, writeMessage } from '../../../tests/dialects/aws-events.ts';
import { eventsOfFrames, pieces } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { MessagesTap } from '../anthropic-messages/reply-facts.ts';
import { parseFrame } from '../frames.ts';
import { splitterFor } from '../framing.ts';
import type { Part } from '../neutral.ts';
import { BedrockSplitter } from './splitter.ts';
import { bedrockConverse } from './wire.ts';

const delta = (contentBlockIndex: number, piece: JsonObject): [string, JsonObject] => [
  'contentBlockDelta',
  { contentBlockIndex, delta: piece, p: 'abcdef' },
];
const stop = (contentBlockIndex: number): [string, JsonObject] => ['contentBlockStop', { contentBlockIndex }];
const call = (contentBlockIndex: number, name: string): [string, JsonObject] => [
  'contentBlockStart',
  { contentBlockIndex, start: { toolUse: { toolUseId: `tooluse_${name}`, name } } },
];

const CITATION = {
  title: 'doc',
  sourceContent: [{ text: 'source' }],
  location: { documentPage: { start: 1 } },
};
const CONTENT: [string, JsonObject][] = [
  ['messageStart', { role: 'assistant' }],
  delta(0, { reasoningContent: { text: 'h' } }),
  delta(0, { reasoningContent: { text: 'm' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
  delta(1, { text: '' }),
  stop(1),
  delta(2, { text: 'o' }),
  delta(2, { text: 'k é 🙂' }),
  stop(2),
  delta(3, { citation: CITATION }),
  delta(3, { text: 'cited' }),
  stop(3),
  call(4, 'f'),
  delta(4, { toolUse: { input: '{"x":' } }),
  delta(4, { toolUse: { input: '1}' } }),
  stop(4),
  call(5, 'g'),
  stop(5),
];
const STOP: [string, JsonObject] = [
  'messageStop',
  { stopReason: 'tool_use', additionalModelResponseFields: { delta: { stop_sequence: null } } },
];
const METADATA: [string, JsonObject] = [
  'metadata',
  { usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 4, totalTokens: 19 }, metrics: {} },
];

const bytesOf = (events: readonly [string, JsonObject][]): Uint8Array =>
  Buffer.concat(events.map(([type, fields]) => writeEvent(type, fields)));

function read(chunks: readonly Uint8Array[]) {
  const splitter = new BedrockSplitter('answer');
  const frames = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  return frames.map(parseFrame).filter((frame) => frame !== null);
}

const reply = (events: readonly [string, JsonObject][]) =>
  accumulate(eventsOfFrames(bedrockConverse.streamReader(), read([bytesOf(events)])));

const PARTS: Partial<Part>[] = [
  { type: 'thinking', text: 'hm', signature: 'c2ln' },
  { type: 'text', text: 'ok é 🙂' },
  { type: 'text', text: 'cited' },
  { type: 'tool-call', id: 'tooluse_f', name: 'f', input: '{"x":1}' },
  { type: 'tool-call', id: 'tooluse_g', name: 'g', input: '{}' },
];

test.each([
  ['after', [STOP, METADATA]],
  ['before', [METADATA, STOP]],
] as [string, [string, JsonObject][]][])('an answer is whole with its usage %s its stop', (_name, end) => {
  const whole = reply([...CONTENT, ...end]);
  expect(whole.choices).toMatchObject([{ parts: PARTS, stop: 'tool-calls' }]);
  expect(whole.choices[0]?.parts[2]).toMatchObject({ citations: [{ title: 'doc', citedText: 'source' }] });
  expect(whole.usage).toEqual({ ...noUsage(), input: 10, cacheRead: 4, output: 5, untoldWrites: 0 });
});

test('however the bytes are cut, the frames are the same', () => {
  const bytes = bytesOf([...CONTENT, STOP, METADATA]);
  const whole = read([bytes]);
  expect(whole.map(({ event }) => event).filter((event) => event !== 'content_block_delta')).toEqual([
    'message_start',
    ...Array(5).fill(['content_block_start', 'content_block_stop']).flat(),
    'message_delta',
    'message_stop',
  ]);
  fc.assert(
    fc.property(pieces(bytes), (chunks) => {
      expect(read(chunks)).toEqual(whole);
    }),
  );
});

test('an answer whose usage never comes is whole, and its usage unknown', () => {
  const frames = read([bytesOf([...CONTENT, STOP])]);
  expect(frames.at(-1)?.event).toBe('message_stop');
  const tap = new MessagesTap();
  for (const frame of frames) tap.read(frame);
  expect(tap.complete).toBe(true);
  expect(tap.usage).toBeNull();
});

test('a cut answer has no end and no usage', () => {
  const frames = read([bytesOf(CONTENT)]);
  expect(frames.at(-1)?.event).toBe('content_block_stop');
  const tap = new MessagesTap();
  for (const frame of frames) tap.read(frame);
  expect(tap.complete).toBe(false);
  expect(tap.usage).toBeNull();
});

test("the Messages wire's own events pass as they are", () => {
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
  const splitter = splitterFor('application/vnd.amazon.eventstream');
  expect(splitter.push(writeChunk(event)).map(parseFrame)).toEqual([
    { event: 'content_block_delta', data: JSON.stringify(event) },
  ]);
  expect(splitter.end()).toEqual([]);
});

test('an exception after content is an error of the stream', () => {
  const exception = writeMessage({
    headers: { ':message-type': 'exception', ':exception-type': 'throttlingException' },
    payload: Buffer.from('{"message":"Too many tokens"}'),
  });
  const frames = read([Buffer.concat([bytesOf(CONTENT.slice(0, 2)), exception])]);
  expect(eventsOfFrames(bedrockConverse.streamReader(), frames).at(-1)).toMatchObject({
    type: 'part-end',
  });
  expect(eventsOfFrames(bedrockConverse.streamReader(), frames)).toContainEqual({
    type: 'error',
    message: 'Too many tokens',
    kind: 'rate_limit_error',
  });
});

describe('whole answers', () => {
  const body: JsonObject = {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'ZA==' } },
          { text: 'ok' },
          { citationsContent: { content: [{ text: 'cited' }], citations: [CITATION] } },
          { toolUse: { toolUseId: 'tooluse_f', name: 'f', input: { x: 1 } } },
        ],
      },
    },
    stopReason: 'guardrail_intervened',
    usage: {
      inputTokens: 10,
      outputTokens: 5,
      cacheWriteInputTokens: 7,
      cacheDetails: [
        { ttl: 'T1H', inputTokens: 3 },
        { ttl: 'T5M', inputTokens: 4 },
      ],
    },
  };

  test('say what they say', () => {
    expect(bedrockConverse.readReply(body)).toMatchObject({
      choices: [
        {
          parts: [
            { type: 'thinking', text: 'hm', signature: 'c2ln' },
            { type: 'thinking', text: '', encrypted: 'ZA==' },
            { type: 'text', text: 'ok' },
            {
              type: 'text',
              text: 'cited',
              citations: [{ kind: 'document', title: 'doc', citedText: 'source' }],
            },
            { type: 'tool-call', id: 'tooluse_f', name: 'f', input: '{"x":1}' },
          ],
          stop: 'content-filter',
          rawStop: 'guardrail_intervened',
        },
      ],
      usage: { ...noUsage(), input: 10, cacheWrite: 4, cacheWriteHour: 3, output: 5 },
    });
  });

  test('without an output are errors', () => {
    expect(bedrockConverse.readError(body)).toBeNull();
    expect(bedrockConverse.readError({ message: 'no' })).toMatchObject({ error: { message: 'no' } });
  });
});
