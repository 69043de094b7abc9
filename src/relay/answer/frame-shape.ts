/**
 * What the frames of a stream have in common. Of a frame that differs from an earlier one in nothing but what it says, and
 * in fields that say nothing, only what it says need be kept; and no JSON has to be read to find it.
 */
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../core/json.ts';
import type { Produced } from '../../dialects/dialect.ts';

/** What may differ between two literal pieces of a frame. */
type Hole = 'said' | 'digits' | 'word' | 'end';

/** A stretch of the frame that the shape was found in, and what follows it. */
interface Piece {
  from: number;
  to: number;
  hole: Hole;
}

/** Frames beyond this are no pieces of a text, of which there are many alike. */
const FRAME_BYTES_MOST = 4 * 1024;

/** All strings of a text of JSON, its keys too. */
const STRINGS = /"(?:[^"\\]|\\.)*"/gs;

/**
 * Fields that differ from frame to frame and are no part of what was produced: OpenAI's padding and numbers of events,
 * times, and the counts so far that Gemini tells in each frame.
 */
const LOOSE =
  /(?<="obfuscation":\s*")(?<word>[^"\\]*)(?=")|(?<="(?:sequence_number|created|created_at|[A-Za-z]+TokenCount)":\s*)\d+(?=[,}])/g;

/** Stands for what a frame says while its shape is tried; written with an escape, and with room around it. */
const PROBE = ' a\n"é ';
const PROBE_BYTES = Buffer.from(JSON.stringify(PROBE).slice(1, -1));

export class FrameShape {
  private constructor(
    /** A copy of that frame, which keeps nothing else of the stream alive. */
    readonly frame: Uint8Array,
    readonly pieces: readonly Piece[],
  ) {}

  /**
   * The shape of a frame that produced nothing but text, found in one of its strings; null where it is not. `read` tells
   * what a frame produced: another text in the string's place has to come out of it as that text.
   */
  static of(
    frame: Uint8Array,
    { text, toolCalls }: Produced,
    read: (frame: Uint8Array) => Produced,
  ): FrameShape | null {
    if (text === '' || toolCalls > 0 || frame.length > FRAME_BYTES_MOST) return null;
    const bytes = Buffer.from(frame);
    // A character a byte, so that places in the text are places in the frame.
    const latin = bytes.toString('latin1');
    for (const { 0: quoted, index } of latin.matchAll(STRINGS)) {
      const [from, to] = [index + 1, index + quoted.length - 1];
      if (parseJson(bytes.toString('utf8', index, to + 1)) !== text) continue;
      const tried = read(Buffer.concat([bytes.subarray(0, from), PROBE_BYTES, bytes.subarray(to)]));
      if (!isText(tried, PROBE)) continue;
      const pieces = [...piecesOf(latin, 0, from, 'said'), ...piecesOf(latin, to, latin.length, 'end')];
      return new FrameShape(Uint8Array.from(frame), pieces);
    }
    return null;
  }

  /** What a frame of this shape says, as it stands between the quotes of its JSON; null for another frame. */
  said(frame: Uint8Array): Uint8Array | null {
    let at = 0;
    let said: Uint8Array | null = null;
    for (const { from, to, hole } of this.pieces) {
      if (!this.#isAlike(frame, at, from, to)) return null;
      const start = at + to - from;
      at = start;
      switch (hole) {
        case 'said':
          at = stringEnd(frame, start);
          if (at < 0) return null;
          said = frame.subarray(start, at);
          break;
        case 'word':
          at = wordEnd(frame, start);
          break;
        case 'digits':
          at = digitsEnd(frame, start);
          if (at < 0) return null;
          break;
        case 'end':
          if (at !== frame.length) return null;
      }
    }
    return said;
  }

  /** Whether the frame has at this place what the shape's has in the stretch. */
  #isAlike(frame: Uint8Array, at: number, from: number, to: number): boolean {
    if (frame.length - at < to - from) return false;
    for (let i = from; i < to; i++) if (frame[at + i - from] !== this.frame[i]) return false;
    return true;
  }
}

const isText = ({ text, toolCalls, seconds = 0, pictures = 0 }: Produced, wanted: string): boolean =>
  text === wanted && toolCalls + seconds + pictures === 0;

/** A stretch of a frame, cut at its loose fields. */
function piecesOf(latin: string, start: number, end: number, last: Hole): Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  for (const { 0: value, index, groups } of latin.slice(start, end).matchAll(LOOSE)) {
    pieces.push({ from, to: start + index, hole: groups?.word === undefined ? 'digits' : 'word' });
    from = start + index + value.length;
  }
  return [...pieces, { from, to: end, hole: last }];
}

const QUOTE = 34;
const BACKSLASH = 92;
const LETTER_U = 117;
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const SPACE = 32;
const ASCII_END = 128;

/** The place of the quote that closes a string; -1 where none does, or where no JSON may have such a string. */
function stringEnd(frame: Uint8Array, start: number): number {
  let isAscii = true;
  for (let at = start; at < frame.length; at++) {
    const byte = frame[at] ?? 0;
    if (byte === QUOTE) return isAscii || isUtf8(frame.subarray(start, at)) ? at : -1;
    if (byte < SPACE) return -1;
    if (byte >= ASCII_END) isAscii = false;
    if (byte !== BACKSLASH) continue;
    at++;
    if (frame[at] === LETTER_U) {
      for (let n = 0; n < 4; n++) if (!isHex(frame[++at])) return -1;
    } else if (!ESCAPED.has(frame[at] ?? 0)) return -1;
  }
  return -1;
}

/** The end of a string without escapes; a literal that follows has to be its quote. */
function wordEnd(frame: Uint8Array, start: number): number {
  let at = start;
  for (; at < frame.length; at++) {
    const byte = frame[at] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) break;
  }
  return at;
}

const ZERO = 48;
const NINE = 57;

/** The end of a whole number; -1 where there is none as JSON writes it. */
function digitsEnd(frame: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(frame[at])) at++;
  const hasLeadingZero = frame[start] === ZERO && at > start + 1;
  return at === start || hasLeadingZero ? -1 : at;
}

const isDigit = (byte = 0): boolean => byte >= ZERO && byte <= NINE;
const isHex = (byte = 0): boolean => isDigit(byte) || /[a-f]/i.test(String.fromCharCode(byte));
