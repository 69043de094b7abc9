/** Base64 as wires have it, which may be megabytes, read in pieces. */

/** Whole groups of four characters. */
const PIECE_CHARS = 64 * 1024;

/** The bytes, a piece at a time. Blanks and line ends do not count; decoders pass over them. */
export function* bytesOfBase64(text: string): Generator<Buffer, void> {
  let left = '';
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    const piece = left + onlyDigits(text.slice(at, at + PIECE_CHARS));
    const whole = piece.length - (piece.length % 4);
    left = piece.slice(whole);
    yield Buffer.from(piece.slice(0, whole), 'base64');
  }
  if (left !== '') yield Buffer.from(left, 'base64');
}

const onlyDigits = (text: string): string => (OTHER.test(text) ? text.replace(/[^\w+/-]/g, '') : text);
const OTHER = /[^\w+/-]/;
