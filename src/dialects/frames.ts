/** The only file that knows how event streams are framed: blank lines, `event:`, `data:`, comments, CR LF. */
import { limits } from '../core/limits.ts';
import { HeldPieces } from './held-pieces.ts';

/** One event of a stream. */
export interface Frame {
  /** The `event:` field; empty when there is none. */
  event: string;
  /** The `data:` lines, joined by line feeds. */
  data: string;
  /** Zhipu's own field beside the data of its last event. */
  meta?: string;
}

const LF = 10;
const CR = 13;

/**
 * Cuts a byte stream into frames at its blank lines. Frames come out as the bytes that came in, with their blank line,
 * so that a frame nobody needs to read is passed on without a copy.
 */
export class FrameSplitter {
  readonly #held: HeldPieces;
  /** Nothing of the current line has been seen. */
  #atLineStart = true;
  /** The last byte was a CR: a LF that follows belongs to the same line end. */
  #afterCr = false;

  constructor(frameBytesMax: number = limits.streamFrameBytes) {
    this.#held = new HeldPieces(frameBytesMax);
  }

  /** Bytes of the frame that has not come whole yet. */
  get heldBytes(): number {
    return this.#held.bytes;
  }

  /** The frames that this chunk completes. Throws what is too large for a frame beyond the bound. */
  push(chunk: Uint8Array): Uint8Array[] {
    const frames: Uint8Array[] = [];
    let start = 0;
    for (let end = this.#nextEnd(chunk, 0); end > 0; end = this.#nextEnd(chunk, start)) {
      frames.push(this.#take(chunk.subarray(start, end)));
      start = end;
    }
    if (start < chunk.length) this.#held.add(start === 0 ? chunk : chunk.subarray(start));
    return frames;
  }

  /** What is left when the stream ends without a blank line; null when that is nothing. */
  rest(): Uint8Array | null {
    return this.#held.isEmpty ? null : this.#take(new Uint8Array(0));
  }

  /** Index behind the next blank line; 0 when the chunk has none. */
  #nextEnd(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === LF && this.#afterCr) {
        this.#afterCr = false;
        // A LF in front of a frame is the second half of the line end that closed the frame before.
        continue;
      }
      this.#afterCr = byte === CR;
      if (byte === LF || byte === CR) {
        if (this.#atLineStart) return this.#withLf(chunk, at + 1);
        this.#atLineStart = true;
      } else {
        this.#atLineStart = false;
        at = this.#lineEnd(chunk, at + 1) - 1;
      }
    }
    return 0;
  }

  /** Skips the inside of a line: the two searches run at the speed of memory. */
  #lineEnd(chunk: Uint8Array, from: number): number {
    const lf = chunk.indexOf(LF, from);
    const line = lf < 0 ? chunk.subarray(from) : chunk.subarray(from, lf);
    const cr = line.indexOf(CR);
    if (cr >= 0) return from + cr;
    return lf < 0 ? chunk.length : lf;
  }

  /** Takes the LF of a CR LF into the frame that it closes, when it is there already. */
  #withLf(chunk: Uint8Array, end: number): number {
    if (!this.#afterCr || chunk[end] !== LF) return end;
    this.#afterCr = false;
    return end + 1;
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#held.isEmpty) return last;
    const pieces = this.#held.take();
    const frame = pieces.length === 1 && last.length === 0 ? pieces[0] : undefined;
    return frame ?? Buffer.concat([...pieces, last]);
  }
}

const decoder = new TextDecoder();

/** The event that a frame's bytes mean; null for a comment or nothing at all. */
export function parseFrame(bytes: Uint8Array): Frame | null {
  let event = '';
  let data: string | null = null;
  let meta: string | undefined;
  // The decoder takes away the byte order mark that may stand before the first frame.
  for (const line of decoder.decode(bytes).split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== 'data' && field !== 'event' && field !== 'meta') continue;
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') event = value;
    else if (field === 'meta') meta = value;
    else data = data === null ? value : `${data}\n${value}`;
  }
  if (data === null && event === '') return null;
  return meta === undefined ? { event, data: data ?? '' } : { event, data: data ?? '', meta };
}

const SKIP = new Set([LF, CR, 0xef, 0xbb, 0xbf]);
const COLON = 58;

/** True for a frame of nothing but comments and blank lines, judged by its first bytes: they keep a connection open. */
export function isComment(bytes: Uint8Array): boolean {
  let at = 0;
  while (at < bytes.length && SKIP.has(bytes[at] ?? 0)) at++;
  return at === bytes.length || (bytes[at] === COLON && parseFrame(bytes) === null);
}

/**
 * A comment, which is no event to anybody. No blank line stands behind it: OpenAI's client for Go, up to the middle of 2026,
 * makes an empty event of each, and ends there. It belongs to the frame that follows.
 */
export const KEEP_ALIVE = ': keep-alive\n';

/** A frame with these data, as bytes to be. */
export const dataFrame = (data: string): string => `data: ${data}\n\n`;
