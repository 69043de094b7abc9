/**
 * Lists that engines lay out for names which are small numbers: `{"999":0}` is a list of a thousand places, so that ten
 * characters become eight kilobytes, in each object anew.
 */
import { closingQuote } from './json-depth.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BACKSLASH = '\\';

/** Numbers beyond it are kept singly. */
const LONGEST_NUMBER = 3;
/** Of a place, and what the list grows to by the next number. */
const PLACE_BYTES = 12;

/** Whether what begins there in a JSON text, but for blanks, makes the string before it a name. */
export function isColonNext(text: string, at: number): boolean {
  let next = at;
  while (isBlank(text.charCodeAt(next))) next++;
  return text.charCodeAt(next) === COLON;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;

/** A name as it is read: `"a"` may be written `"\u0061"`. What is no JSON ends its reader there. */
export function nameOf(written: string): string {
  if (!written.includes(BACKSLASH)) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written;
  }
}

/** Bytes of the list that such a name has laid out where it is alone in its object. */
export function placesFor(name: string): number {
  if (name.length > LONGEST_NUMBER || name === '') return 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < ZERO || code > NINE) return 0;
  }
  return PLACE_BYTES * (Number(name) + 1);
}

/** Bytes of all these lists of a text: in each object the largest number counts. Beyond `most` it is looked at no further. */
export function placesIn(text: string, most: number): number {
  /** Of each list and object that is open. */
  const open: number[] = [];
  let places = 0;
  for (let at = 0; at < text.length && places <= most; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      const before = open.at(-1);
      if (before !== undefined && isColonNext(text, end + 1)) {
        const own = placesFor(nameOf(text.slice(at + 1, end)));
        if (own > before) {
          places += own - before;
          open[open.length - 1] = own;
        }
      }
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      open.push(0);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
    }
  }
  return places;
}
