/** Base64 as wires have it, which may be megabytes, read in pieces. */

import { isUtf8 } from 'node:buffer';

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

export const textOfBase64 = (text: string): string => fileOf(text).toString();

/** The same as its bytes: each that is no text becomes a mark of three. */
export function textBytesOfBase64(text: string): Buffer {
  const file = fileOf(text);
  return isUtf8(file) ? file : Buffer.from(file.toString());
}

const fileOf = (text: string): Buffer => Buffer.concat([...bytesOfBase64(text)]);

/** So many digits of its beginning as decoders find them, whatever else stands before and between them. */
export function firstDigits(text: string, most: number): string {
  let digits = onlyDigits(text.slice(0, most));
  for (let at = most; digits.length < most && at < text.length; at += PIECE_CHARS)
    digits += onlyDigits(text.slice(at, at + PIECE_CHARS));
  return digits.slice(0, most);
}

/** One letter of base64 in 32 is no letter or figure, and lines of it are long; between words there would be more. */
const LETTERS_A_MARK = 12;

/** Whether nothing else stands in it that can be seen: there are digits, which may be words, and what fills their end. */
export function isSpacedDigits(text: string): boolean {
  const end = text.indexOf('=');
  return !OTHER_MARK.test(text) && (end < 0 || FILLED.test(text.slice(end)));
}
const FILLED = /^(?:=[^\x21-\x7e]*){1,2}$/;
const OTHER_MARK = /(?![\w+/=-])[\x21-\x7e]/;

/** The same where nothing but line ends stands between them. */
export const isDigits = (text: string): boolean => isSpacedDigits(text) && !SPACE.test(text.trim());
const SPACE = /[^\x21-\x7e\r\n]/;

/** Whatever is shorter may be a name. */
export const mayBeName = (text: string): boolean => text.length < 64;

/** Whether it is base64 and holds no words, as far as its looks tell. */
export function isBase64(given: string): boolean {
  if (mayBeName(given)) return false;
  const text = given.trim();
  if (!isDigits(text)) return false;
  const most = text.length / LETTERS_A_MARK;
  let marks = 0;
  for (const mark of ['+', '/', '-', '_', '\n']) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1))
      if (++marks > most) return false;
  }
  return true;
}

/** Whether it may be what only its maker can open, as far as its looks tell: base64, or a word that is no longer than a name. */
export const isSealed = (text: string): boolean => (mayBeName(text) ? !/\s/.test(text) : isBase64(text));

const onlyDigits = (text: string): string => (OTHER.test(text) ? text.replace(/[^\w+/-]+/g, '') : text);
const OTHER = /[^\w+/-]/;
