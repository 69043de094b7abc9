/**
 * Looks at JSON text before it is parsed, in one pass and without recursion. `JSON.parse` accepts any depth, which then
 * breaks whoever walks the value, rounds integers beyond 2^53, which then reach the upstream as other numbers, and makes
 * some forty times its bytes of a text of empty objects; names cost more than that, see `json-keys.ts`.
 */
import { closingQuote } from '../core/json-depth.ts';
import { JsonKeys, type KeysFault } from '../core/json-keys.ts';
import { limits } from '../core/limits.ts';
import { PassingAlike } from '../core/passing-alike.ts';

export type JsonFault = 'depth' | 'number' | 'values' | KeysFault;

const QUOTE = 34;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const MINUS = 45;
const COMMA = 44;

/** Fewer characters than this are exact in a double, whatever their digits. */
const SURELY_EXACT = 15;
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** A point, and what leads to an exponent. */
const GOES_ON: ReadonlySet<number> = new Set([46, 69, 101]);

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** As many as a request may have. */
export const requestKeys = (places: number): JsonKeys =>
  new JsonKeys({ count: limits.jsonKeysMax, weight: limits.jsonKeysWeight, places });

/** Different names and values that an event of a session may have, of which many come one after the other. */
export const EVENT_BOUNDS = { keys: limits.sessionEventKeys, values: limits.sessionEventValues };

/** Of the events of one session. */
export class EventGuard {
  /** Names and short values of events that came before. */
  readonly #passing = new PassingAlike(limits.sessionTextsCounted);

  /** What is wrong with one; and how many names it has. */
  look(text: string): { fault: JsonFault | null; names: number } {
    const { keys: count, values } = EVENT_BOUNDS;
    const { sessionEventKeysWeight: weight, unheldPlacesBytes: places } = limits;
    const keys = new JsonKeys({ count, weight, places }, this.#passing);
    return { fault: guardJson(text, keys, values), names: keys.names };
  }
}

/** What is wrong with the text, or null. Text that is no JSON passes here and fails in the parser. */
export function guardJson(
  text: string,
  keys = requestKeys(limits.unheldPlacesBytes),
  valuesMax: number = limits.jsonValuesMax,
): JsonFault | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > limits.jsonDepthMax) return 'depth';
      if (++values > valuesMax) return 'values';
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth--;
    } else if (code === COMMA) {
      if (++values > valuesMax) return 'values';
    } else if (code === MINUS || isDigit(code)) {
      const end = digitsEnd(text, at + 1);
      // Bodies may hold half a million of these.
      if (end - at < SURELY_EXACT && !GOES_ON.has(text.charCodeAt(end))) {
        at = end - 1;
        continue;
      }
      NUMBER.lastIndex = at;
      const [number = ''] = NUMBER.exec(text) ?? [];
      if (!keepsItsValue(number)) return 'number';
      at += Math.max(number.length - 1, 0);
    }
  }
  return keys.fault(text);
}

/** Integers must be exact; a fraction or an exponent is a floating-point number and may be rounded, but not to infinity. */
function keepsItsValue(number: string): boolean {
  if (number.length < SURELY_EXACT) return !/e/i.test(number) || Number.isFinite(Number(number));
  return /^-?\d+$/.test(number) ? Number.isSafeInteger(Number(number)) : Number.isFinite(Number(number));
}
