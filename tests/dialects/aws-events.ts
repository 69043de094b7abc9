/** AWS's binary event streams, as Bedrock sends them. */
import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../src/core/json.ts';
import type { EventMessage } from '../../src/dialects/aws-event-stream.ts';

/** Of the prelude, and of a message without headers and payload. */
const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const LEAST_BYTES = PRELUDE_BYTES + CRC_BYTES;
/** The type of a header that is text. */
const TEXT = 7;

/** A message as its bytes, with headers of text. */
export function writeMessage({ headers, payload }: EventMessage): Uint8Array {
  const block = Buffer.concat(Object.entries(headers).map(([name, value]) => writeHeader(name, value)));
  const message = Buffer.alloc(LEAST_BYTES + block.length + payload.length);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(block.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  block.copy(message, PRELUDE_BYTES);
  message.set(payload, PRELUDE_BYTES + block.length);
  const end = message.length - CRC_BYTES;
  message.writeUInt32BE(crc32(message.subarray(0, end)), end);
  return message;
}

function writeHeader(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const head = Buffer.from([key.length, ...key, TEXT, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([head, text]);
}

/** An event as Bedrock sends it: its name in a header, its fields as JSON. */
export const writeEvent = (type: string, fields: JsonObject): Uint8Array =>
  writeMessage({
    headers: { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    payload: Buffer.from(JSON.stringify(fields)),
  });

/** An event of another wire inside a chunk. */
export const writeChunk = (event: JsonObject): Uint8Array =>
  writeEvent('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') });
