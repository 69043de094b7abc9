/** JSON values that arrive one after the other, as lines or in one array: each becomes a frame of an event stream. */
import { limits } from '../core/limits.ts';
import { HeldPieces } from './held-pieces.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;
const LF = 10;
const CR = 13;
const SPACE = 32;

const HEAD = Buffer.from('data: ');
const TAIL = Buffer.from('\n\n');

export class JsonSplitter {
  readonly #held: HeldPieces;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(frameBytesMax: number = limits.streamFrameBytes) {
    this.#held = new HeldPieces(frameBytesMax);
  }

  get heldBytes(): number {
    return this.#held.bytes;
  }

  push(chunk: Uint8Array): Uint8Array[] {
    const frames: Uint8Array[] = [];
    let start = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) {
        // Outside of objects there are only brackets, commas and blanks; anything else there means nothing.
        this.#inString = this.#depth > 0;
      } else if (byte === OPEN) {
        if (this.#depth++ === 0) start = at;
      } else if (byte === CLOSE && this.#depth > 0 && --this.#depth === 0) {
        this.#held.add(chunk.subarray(start, at + 1));
        frames.push(this.#take());
        start = -1;
      }
    }
    if (start >= 0 && start < chunk.length) this.#held.add(chunk.subarray(start));
    return frames;
  }

  /** Half an object is nothing. */
  end(): Uint8Array[] {
    return [];
  }

  /** The object on one line: between its tokens a line end is a blank, and inside strings there is none. */
  #take(): Uint8Array {
    const frame = Buffer.concat([HEAD, ...this.#held.take(), TAIL]);
    for (let at = HEAD.length; at < frame.length - TAIL.length; at++) {
      if (frame[at] === LF || frame[at] === CR) frame[at] = SPACE;
    }
    return frame;
  }
}
