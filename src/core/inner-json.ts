/** JSON that stands in a text, as models and callers write it: arguments of tools, and their results. */
import { isObject, type JsonObject, parseJson } from './json.ts';
import { valuesIn } from './json-depth.ts';
import { limits } from './limits.ts';

/**
 * Undefined for what is no JSON, and for what is nested deeper or holds more than is read of a body: it stays a text.
 * Nobody has judged it with the body that it came in, and whoever writes it down again follows its nesting by recursion.
 */
export function parseInner(text: string): unknown {
  const values = valuesIn(text, { most: limits.innerJsonValues, deepest: limits.jsonDepthMax });
  return Number.isFinite(values) ? parseJson(text) : undefined;
}

/** The parsed text when it is such an object, else undefined. */
export function innerObject(text: string): JsonObject | undefined {
  const value = parseInner(text);
  return isObject(value) ? (value as JsonObject) : undefined;
}
