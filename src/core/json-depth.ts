/** How deeply JSON text is nested, before anyone parses it or walks through it: both follow the nesting by recursion. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** Nothing that is meant nests deeper, and nothing of ours that walks through a value fills the stack with so few levels. */
export const LEVELS_MAX = 1_000;

/** True when arrays and objects stand in one another more than `max` deep. One pass; text that is no JSON is judged all the same. */
export function nestsDeeper(text: string, max: number): boolean {
  if (text.length <= max || !opensMore(text, max)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      if (depth > max) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    }
  }
  return false;
}

/** Whether so many arrays and objects can begin in it at all, which is looked up much faster than how they stand. */
function opensMore(text: string, most: number): boolean {
  let left = most;
  for (const mark of ['{', '[']) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}

/**
 * Lists, objects and what follows a comma, as a measure of what parsing the text makes; Infinity where there are more than
 * `most`, or where they stand more than `deepest` in one another.
 */
export function valuesIn(text: string, { most, deepest }: { most: number; deepest: number }): number {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length && values <= most && depth <= deepest; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      values++;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    } else if (code === COMMA) {
      values++;
    }
  }
  return values > most || depth > deepest ? Number.POSITIVE_INFINITY : values;
}

/** Where the string that begins at `at` ends; the text's end when it does not. */
export function closingQuote(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
