/**
 * How many different keys JSON text has, before anyone parses it. Engines keep the names of properties in one table for
 * ever or for long, and look each one up there: a body of nothing but new names costs many times what its values do.
 */
import { closingQuote } from './json-depth.ts';

const COLON = 0x3a;
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** What keys may be: so many different ones, and of so much weight together. */
export interface KeysMax {
  count: number;
  weight?: number;
}

/** True when objects have more or heavier keys among them; spellings of one key count as several. */
export function hasMoreKeys(text: string, { count, weight = Number.POSITIVE_INFINITY }: KeysMax): boolean {
  // Most texts have fewer keys than that, different or not, and are told apart without keeping any.
  let keys = 0;
  let heavy = 0;
  for (const [from, to] of keysOf(text)) {
    heavy += weightOf(text, from, to, weight);
    if (++keys > count || heavy > weight) return hasMoreDistinct(text, { count, weight });
  }
  return false;
}

function hasMoreDistinct(text: string, { count, weight }: Required<KeysMax>): boolean {
  const distinct = new Set<string>();
  let heavy = 0;
  for (const [from, to] of keysOf(text)) {
    const key = text.slice(from, to);
    if (distinct.has(key)) continue;
    distinct.add(key);
    heavy += weightOf(key, 0, key.length, weight);
    if (distinct.size > count || heavy > weight) return true;
  }
  return false;
}

/** What folding a character takes, about: a letter or digit is looked at, a mark taken out, and others may become eighteen. */
const LIGHT = 1;
const MARK = 16;
const HEAVY = 128;

/** No more than enough is weighed. */
function weightOf(text: string, from: number, to: number, enough: number): number {
  if (enough === Number.POSITIVE_INFINITY) return 0;
  let weight = 0;
  for (let at = from; at < to && weight <= enough; at++) weight += WEIGHTS[text.charCodeAt(at)] ?? HEAVY;
  return weight;
}

/** By their code; an escape may be any character. */
const WEIGHTS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === '\\') return HEAVY;
  return /[A-Za-z0-9]/.test(character) ? LIGHT : MARK;
});

/** Where each string that a colon follows begins and ends, its quotes left out. */
export function* keysOf(text: string): Generator<readonly [from: number, to: number]> {
  for (let open = text.indexOf('"'); open !== -1; ) {
    const close = closingQuote(text, open);
    let next = close + 1;
    while (BLANKS.includes(text.charCodeAt(next))) next++;
    if (text.charCodeAt(next) === COLON) yield [open + 1, close];
    open = text.indexOf('"', close + 1);
  }
}
