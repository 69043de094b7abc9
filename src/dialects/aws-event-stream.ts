/**
 * AWS's binary event streams (`application/vnd.amazon.eventstream`): messages with typed headers and two checksums.
 * Bedrock sends two kinds of them: chunks with the bytes of another wire's event inside, and events of its own.
 */
import { crc32 } from 'node:zlib';
import { fail } from '../core/errors.ts';
import { type JsonObject, parseObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { tooLarge } from '../core/too-large.ts';

export interface EventMessage {
  headers: Record<string, string>;
  payload: Uint8Array;
}

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const LEAST_BYTES = PRELUDE_BYTES + CRC_BYTES;

const broken = (internal: string) =>
  fail('upstream_error', { params: { reason: { zh: '流已损坏', en: 'its stream is broken' } }, internal });

/** Cuts the bytes into messages. Throws `upstream_error` for a wrong checksum, and what is too large beyond the bound. */
export class EventMessageReader {
  #held: Buffer = Buffer.alloc(0);

  constructor(readonly messageBytesMax: number = limits.streamFrameBytes) {}

  push(chunk: Uint8Array): EventMessage[] {
    this.#held = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    const messages: EventMessage[] = [];
    while (this.#held.length >= PRELUDE_BYTES) {
      const bytes = this.#messageBytes();
      if (this.#held.length < bytes) break;
      messages.push(readMessage(this.#held.subarray(0, bytes)));
      this.#held = this.#held.subarray(bytes);
    }
    return messages;
  }

  /** Bytes of the message that has not come whole yet. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** True when the stream ended inside a message. */
  get cut(): boolean {
    return this.#held.length > 0;
  }

  /** The length of the message that is coming; its prelude is checked before it is believed. */
  #messageBytes(): number {
    const prelude = this.#held;
    if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8))
      throw broken('wrong checksum of a prelude');
    const bytes = prelude.readUInt32BE(0);
    if (bytes < LEAST_BYTES + prelude.readUInt32BE(4)) throw broken('a message shorter than its headers');
    if (bytes > this.messageBytesMax) throw tooLarge('frame');
    return bytes;
  }
}

function readMessage(message: Buffer): EventMessage {
  const end = message.length - CRC_BYTES;
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end))
    throw broken('wrong checksum of a message');
  const payloadAt = PRELUDE_BYTES + message.readUInt32BE(4);
  return {
    headers: readHeaders(message.subarray(PRELUDE_BYTES, payloadAt)),
    payload: message.subarray(payloadAt, end),
  };
}

/** Bytes of the values whose type has one size; the two others say theirs. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES = 6;
const TEXT = 7;

function readHeaders(block: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  try {
    for (let at = 0; at < block.length; ) {
      const nameEnd = at + 1 + block.readUInt8(at);
      const name = block.toString('utf8', at + 1, nameEnd);
      const type = block.readUInt8(nameEnd);
      at = nameEnd + 1;
      let bytes = FIXED_BYTES[type];
      if (type === BYTES || type === TEXT) {
        bytes = block.readUInt16BE(at);
        at += 2;
      }
      if (bytes === undefined || at + bytes > block.length) throw new RangeError(`a header of type ${type}`);
      if (type === TEXT) headers[name] = block.toString('utf8', at, at + bytes);
      at += bytes;
    }
  } catch (cause) {
    throw broken(`headers: ${cause instanceof Error ? cause.message : cause}`);
  }
  return headers;
}

/** The event of another wire that a message is: what a chunk holds, or an event of Bedrock's own by its name. */
export function eventOf({ headers, payload }: EventMessage): { event: string; data: JsonObject } {
  const fields = parseObject(Buffer.from(payload).toString()) ?? {};
  const kind = headers[':message-type'];
  if (kind === 'exception' || kind === 'error') return errorOf(headers, fields);
  const type = headers[':event-type'] ?? '';
  if (type !== 'chunk' || typeof fields.bytes !== 'string') {
    // The padding hides the lengths of what is said from who counts the bytes on the way.
    const { p: _, ...data } = fields;
    return { event: type, data };
  }
  const inner = parseObject(Buffer.from(fields.bytes, 'base64').toString()) ?? {};
  const { 'amazon-bedrock-invocationMetrics': _, ...data } = inner;
  return { event: typeof data.type === 'string' ? data.type : '', data };
}

/** Bedrock's exceptions by Anthropic's types of errors. */
const ERRORS: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  validationException: 'invalid_request_error',
  modelTimeoutException: 'timeout_error',
  serviceUnavailableException: 'overloaded_error',
};

/** Errors in the form that the Messages wire has for them. */
function errorOf(headers: Record<string, string>, fields: JsonObject): { event: string; data: JsonObject } {
  const code = headers[':exception-type'] ?? headers[':error-code'] ?? 'error';
  const message = fields.message ?? fields.Message ?? headers[':error-message'] ?? code;
  return {
    event: 'error',
    data: { type: 'error', error: { type: ERRORS[code] ?? 'api_error', message, code } },
  };
}
