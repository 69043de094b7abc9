/**
 * How many tokens a text can have at the most, from its bytes alone. Words of common letters take a token each two bytes
 * or more, whoever made the tokenizer. Whatever stands between them (figures, marks, ends of lines, letters of scripts
 * that vocabularies hardly know) takes up to one a byte, and may leave single letters beside it.
 */

/** A text as far as its tokens depend on it. Sizes of several texts add up. */
export interface TextSize {
  /** UTF-8 bytes. */
  bytes: number;
  /** Tokens that it may have beyond one each two bytes. */
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

/** What a byte may bring beyond half a token. What follows the first byte of a letter is counted with it. */
const WEIGHTS = Uint8Array.from({ length: 256 }, (_, byte) => weightOf(byte));

function weightOf(byte: number): number {
  const isWord = (byte >= 0x61 && byte <= 0x7a) || byte === 0x20;
  if (byte < 0x80) return isWord ? 0 : 1;
  if (byte < 0xc0) return 0;
  if (byte < 0xe0) return COMMON_PAIRS.has(byte) ? 0 : 1;
  return COMMON_TRIPLES.has(byte) ? 0 : 2;
}

/** Of two bytes at once: every prompt passes here, and this takes a quarter of the time of a look at each character. */
const PAIR_WEIGHTS = Uint8Array.from(
  { length: 65_536 },
  (_, pair) => (WEIGHTS[pair & 255] ?? 0) + (WEIGHTS[pair >> 8] ?? 0),
);

const CHUNK_BYTES = 32 * 1024;
const bytes = new Uint8Array(CHUNK_BYTES);
const pairs = new Uint16Array(bytes.buffer);
const encoder = new TextEncoder();

/** Of the first bytes of the chunk. */
function denseOfChunk(length: number): number {
  let sum = length % 2 === 1 ? (WEIGHTS[bytes[length - 1] ?? 0] ?? 0) : 0;
  const whole = length >> 1;
  for (let i = 0; i < whole; i++) sum += PAIR_WEIGHTS[pairs[i] ?? 0] ?? 0;
  return sum;
}

export function sizeOfText(text: string): TextSize {
  const size: TextSize = { bytes: 0, dense: 0 };
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), bytes);
    size.bytes += written;
    size.dense += denseOfChunk(written);
    at += read;
  }
  return size;
}

/** The same of a text that has been encoded. */
export function sizeOfBytes(encoded: Uint8Array): TextSize {
  let dense = 0;
  for (let at = 0; at < encoded.length; at += CHUNK_BYTES) {
    const chunk = encoded.subarray(at, at + CHUNK_BYTES);
    bytes.set(chunk);
    dense += denseOfChunk(chunk.length);
  }
  return { bytes: encoded.length, dense };
}

export const sumOfSizes = (a: TextSize, b: TextSize): TextSize => ({
  bytes: a.bytes + b.bytes,
  dense: a.dense + b.dense,
});

export const sizeOfTexts = (texts: readonly string[]): TextSize =>
  texts.map(sizeOfText).reduce(sumOfSizes, { bytes: 0, dense: 0 });

/** Prose has its marks and capitals, which its words make up for; and so has a short text, by some bytes. */
const USUAL_SHARE = 1 / 10;
const USUAL_BYTES = 16;

/** The most tokens of texts. */
export function mostTokens({ bytes, dense }: TextSize): number {
  const isProse = dense <= Math.max(bytes * USUAL_SHARE, USUAL_BYTES);
  return isProse ? Math.ceil(bytes / 2) : Math.min(Math.ceil(bytes / 2) + dense, bytes);
}

/** Marks of JSON stand together in tokens of their own; this share of a schema are marks at the most. */
const MARKS_OF_JSON = 2 / 5;

/** The same of JSON that describes tools. */
export const mostTokensOfJson = ({ bytes, dense }: TextSize): number =>
  Math.min(Math.ceil(bytes / 3 + 2 * Math.max(dense - bytes * MARKS_OF_JSON, 0)), bytes);
