import { describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { writeChunk, writeEvent, writeMessage } from '../../tests/dialects/aws-events.ts';
import { pieces } from '../../tests/dialects/bytes.ts';
import { EventMessageReader, eventOf } from './aws-event-stream.ts';

/** A message that another implementation wrote. */
const KNOWN = Buffer.from(
  '000000910000004b684a49d10b3a6576656e742d747970650700056368756e6b0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b226279746573223a2265794a306558426c496a6f696257567a6332466e5a56397a64473977496e303d222c2270223a22616263227da1aebc9a',
  'hex',
);

test('a message is read and written byte for byte', () => {
  const [message] = new EventMessageReader().push(KNOWN);
  expect(message?.headers).toEqual({
    ':event-type': 'chunk',
    ':content-type': 'application/json',
    ':message-type': 'event',
  });
  expect(JSON.parse(Buffer.from(message?.payload ?? []).toString())).toEqual({
    bytes: 'eyJ0eXBlIjoibWVzc2FnZV9zdG9wIn0=',
    p: 'abc',
  });
  expect(Buffer.from(writeMessage(message ?? { headers: {}, payload: new Uint8Array() }))).toEqual(KNOWN);
});

test('however the bytes are cut, the messages are the same', () => {
  const stream = Buffer.concat([
    KNOWN,
    writeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'é 🙂\n' } }),
    writeChunk({ type: 'message_stop' }),
  ]);
  const read = (chunks: readonly Uint8Array[]) => {
    const reader = new EventMessageReader();
    return chunks.flatMap((chunk) => reader.push(chunk)).map(eventOf);
  };
  const whole = read([stream]);
  expect(whole.map(({ event }) => event)).toEqual(['message_stop', 'contentBlockDelta', 'message_stop']);
  fc.assert(
    fc.property(pieces(stream), (chunks) => {
      expect(read(chunks)).toEqual(whole);
    }),
  );
});

describe('events', () => {
  const frame = (bytes: Uint8Array) => new EventMessageReader().push(bytes).map(eventOf)[0];

  test('a chunk is the event inside it, without what Bedrock measured', () => {
    const inside = { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 1 } };
    expect(frame(writeChunk(inside))).toEqual({ event: 'message_stop', data: { type: 'message_stop' } });
  });

  test("an event of Bedrock's own keeps its name and loses its padding", () => {
    expect(frame(writeEvent('messageStop', { stopReason: 'end_turn', p: 'abcd' }))).toEqual({
      event: 'messageStop',
      data: { stopReason: 'end_turn' },
    });
  });

  test('an exception is an error', () => {
    const message = writeMessage({
      headers: { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      payload: Buffer.from('{"message":"Too many tokens"}'),
    });
    expect(frame(message)).toEqual({
      event: 'error',
      data: {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Too many tokens', code: 'throttlingException' },
      },
    });
  });

  test('an error of the transport is one too', () => {
    const message = writeMessage({
      headers: { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'gone' },
      payload: new Uint8Array(),
    });
    expect(frame(message)?.data).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'gone', code: 'InternalError' },
    });
  });

  test('headers of other types are passed over', () => {
    const header = Buffer.from([1, 97, 5, 0, 0, 0, 0, 0, 0, 0, 7, 1, 98, 0, 1, 99, 7, 0, 1, 120]);
    const head = writeMessage({ headers: {}, payload: header });
    // The same bytes with the payload declared as headers.
    const message = Buffer.from(head);
    message.writeUInt32BE(header.length, 4);
    const again = resealed(message);
    expect(new EventMessageReader().push(again)).toEqual([{ headers: { c: 'x' }, payload: Buffer.alloc(0) }]);
  });
});

/** The message with right checksums. */
function resealed(message: Buffer): Buffer {
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

describe('broken streams', () => {
  test('a changed byte anywhere is noticed', () => {
    fc.assert(
      fc.property(fc.nat(KNOWN.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const broken = Buffer.from(KNOWN);
        broken[at] = (broken[at] ?? 0) ^ change;
        expect(() => new EventMessageReader().push(broken)).toThrow();
      }),
    );
  });

  test('a message beyond the bound is refused before it is held', () => {
    const message = writeEvent('chunk', { bytes: 'A'.repeat(200) });
    expect(() => new EventMessageReader(100).push(message.subarray(0, 12))).toThrow();
  });

  test('a stream that ends inside a message is told', () => {
    const reader = new EventMessageReader();
    expect(reader.push(KNOWN.subarray(0, 20))).toEqual([]);
    expect(reader.cut).toBe(true);
  });
});
