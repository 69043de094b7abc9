/**
 * How many tokens a text can have at the most, from its bytes alone. Words of common letters take a token each two bytes
 * or more, whoever made the tokenizer. Whatever stands between them (figures, marks, capitals, ends of lines, letters of
 * scripts that vocabularies hardly know) takes up to one a byte, and may leave single letters beside it.
 */

/** Texts as far as their tokens depend on them. */
export interface TextSize {
  /** UTF-8 bytes. */
  bytes: number;
  /** Those of them that are no common letters; of a script that is hardly known, as many as its tokens take. */
  dense: number;
}

/** Latin, Greek, Cyrillic, Hebrew and Arabic, by the first of their two bytes. */
const COMMON_PAIRS: ReadonlySet<number> = new Set([
  0xc2, 0xc3, 0xc4, 0xc5, 0xce, 0xcf, 0xd0, 0xd1, 0xd7, 0xd8, 0xd9,
]);
/** Indic scripts and Thai, Kana, Chinese and Korean, by the first of their three. */
const COMMON_TRIPLES: ReadonlySet<number> = new Set([
  0xe0, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xeb, 0xec, 0xed,
]);

/** What follows the first byte of a letter is counted with it. */
function weightOf(byte: number): number {
  const isWord = (byte >= 0x61 && byte <= 0x7a) || byte === 0x20;
  if (byte < 0x80) return isWord ? 0 : 1;
  if (byte < 0xc0) return 0;
  if (byte < 0xe0) return COMMON_PAIRS.has(byte) ? 0 : 2;
  return COMMON_TRIPLES.has(byte) ? 0 : 3;
}

/** Of two bytes at once: every prompt passes here, and this takes a quarter of the time of a look at each. */
const ofBytes = Array.from({ length: 256 }, (_, byte) => weightOf(byte));
const WEIGHTS = Uint8Array.from(
  { length: 65_536 },
  (_, pair) => (ofBytes[pair & 255] ?? 0) + (ofBytes[pair >> 8] ?? 0),
);

/** A unit of a text in memory is at most three bytes. */
const CHUNK_CHARS = 10_000;
const CHUNK_BYTES = 3 * CHUNK_CHARS;
/** Pairs that one step takes: it is half again as fast as one by one. */
const STRIDE = 4;
const chunk = new Uint8Array(CHUNK_BYTES + 2 * STRIDE);
const pairs = new Uint16Array(chunk.buffer);
const encoder = new TextEncoder();
/** It weighs nothing, and fills the last step. */
const BLANK = 0x20;

/** Of the first bytes of the chunk. */
function weigh(length: number): number {
  chunk.fill(BLANK, length, length + 2 * STRIDE);
  const count = (length + 1) >> 1;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < count; i += STRIDE) {
    a += WEIGHTS[pairs[i] ?? 0] ?? 0;
    b += WEIGHTS[pairs[i + 1] ?? 0] ?? 0;
    c += WEIGHTS[pairs[i + 2] ?? 0] ?? 0;
    d += WEIGHTS[pairs[i + 3] ?? 0] ?? 0;
  }
  return a + b + c + d;
}

export function sizeOfText(text: string): TextSize {
  const size: TextSize = { bytes: 0, dense: 0 };
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + CHUNK_CHARS, text.length);
    // Half of a surrogate pair is no character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const { written } = encoder.encodeInto(text.slice(at, end), chunk);
    size.bytes += written;
    size.dense += weigh(written);
    at = end;
  }
  return size;
}

const STRUCTURE = '{}[]":,';
const IS_STRUCTURE = Uint8Array.from({ length: 128 }, (_, code) =>
  STRUCTURE.includes(String.fromCharCode(code)) ? 1 : 0,
);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How many marks are structure of a JSON text, with the quotes around its strings and the backslashes before others. */
function structureOf(text: string): number {
  let marks = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      inside = !inside;
      marks++;
    } else if (!inside) marks += IS_STRUCTURE[code] ?? 0;
    else if (code === BACKSLASH) {
      // What it escapes ends no string, and is a letter where it stands for an end of a line.
      const next = text.charCodeAt(++at);
      if (next === QUOTE || next === BACKSLASH) marks++;
    }
  }
  return marks;
}

/** The same of a text that comes encoded, in pieces. */
export function sizeOfBytes(pieces: Iterable<Uint8Array>): TextSize {
  const size: TextSize = { bytes: 0, dense: 0 };
  for (const piece of pieces) {
    size.bytes += piece.length;
    for (let at = 0; at < piece.length; at += CHUNK_BYTES) {
      const part = piece.subarray(at, at + CHUNK_BYTES);
      chunk.set(part);
      size.dense += weigh(part.length);
    }
  }
  return size;
}

/** Words of prose, of code and of tables make up for so many figures and marks; and a short text has its few. */
const USUAL_SHARE = 1 / 5;
const USUAL_BYTES = 8;
/** Each byte beyond that is a token, and leaves a single letter beside it. */
const TOKENS_BEYOND = 2;

const tokensBeyond = ({ bytes, dense }: TextSize): number =>
  TOKENS_BEYOND * Math.max(dense - Math.max(bytes * USUAL_SHARE, USUAL_BYTES), 0);

const mostOf = (bytes: number, words: TextSize): number =>
  Math.min(Math.ceil(bytes / 2 + tokensBeyond(words)), bytes);

/** The most tokens of texts. */
export const mostTokens = (size: TextSize): number => mostOf(size.bytes, size);

/** Texts that are JSON each, such as tools. */
export interface JsonSize {
  /** UTF-8 bytes. */
  bytes: number;
  /** The most tokens. */
  tokens: number;
}

/** The same in parts, which add up. */
export interface JsonPart {
  /** UTF-8 bytes of all, and of what is no structure. */
  bytes: number;
  words: TextSize;
}

export const noJson = (): JsonPart => ({ bytes: 0, words: { bytes: 0, dense: 0 } });

export function addJson(sum: JsonPart, { bytes, words }: JsonPart, times = 1): void {
  sum.bytes += times * bytes;
  sum.words.bytes += times * words.bytes;
  sum.words.dense += times * words.dense;
}

export function jsonPartOf(text: string): JsonPart {
  const { bytes, dense } = sizeOfText(text);
  // A mark is one byte that is no letter.
  const marks = structureOf(text);
  return { bytes, words: { bytes: bytes - marks, dense: dense - marks } };
}

/** What is structure stands together in tokens, two bytes and more to one; all else are words, wherever they stand. */
export const sizeOfPart = ({ bytes, words }: JsonPart): JsonSize => ({ bytes, tokens: mostOf(bytes, words) });

export function sizeOfJson(texts: readonly string[]): JsonSize {
  const all = noJson();
  for (const text of texts) addJson(all, jsonPartOf(text));
  return sizeOfPart(all);
}
