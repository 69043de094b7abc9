/**
 * How many different keys JSON text has, before anyone parses it. Engines keep the names of properties in one table for
 * ever or for long, and look each one up there: a body of nothing but new names costs many times what its values do.
 */
import { closingQuote } from './json-depth.ts';

const COLON = 0x3a;
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** True when objects have more than `max` different keys among them; spellings of one key count as several. */
export function hasMoreKeys(text: string, max: number): boolean {
  // Most texts have fewer keys than that, different or not, and are told apart without keeping any.
  let keys = 0;
  for (const _ of keysOf(text)) if (++keys > max) return hasMoreDistinct(text, max);
  return false;
}

function hasMoreDistinct(text: string, max: number): boolean {
  const distinct = new Set<string>();
  for (const [from, to] of keysOf(text)) {
    if (distinct.add(text.slice(from, to)).size > max) return true;
  }
  return false;
}

/** Where each string that a colon follows begins and ends, its quotes left out. */
function* keysOf(text: string): Generator<readonly [from: number, to: number]> {
  for (let open = text.indexOf('"'); open !== -1; ) {
    const close = closingQuote(text, open);
    let next = close + 1;
    while (BLANKS.includes(text.charCodeAt(next))) next++;
    if (text.charCodeAt(next) === COLON) yield [open + 1, close];
    open = text.indexOf('"', close + 1);
  }
}
