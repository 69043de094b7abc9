/** JSON that stands in a text, as models and callers write it: arguments of tools, and their results. */
import { isObject, type JsonObject, parseJson } from './json.ts';
import { valuesIn } from './json-depth.ts';
import { JsonKeys } from './json-keys.ts';
import { limits } from './limits.ts';

/**
 * Of one text of an answer. Undefined for what is no JSON, and for what is nested deeper or holds more than is read of a
 * request: it stays a text. Nobody has judged it with the body that it came in, and whoever writes it down again follows
 * its nesting by recursion.
 */
export const parseInner = (text: string): unknown => new InnerJson().parsed(text);

/** The parsed text when it is such an object, else undefined. */
export type ObjectIn = (text: string) => JsonObject | undefined;

export const innerObject: ObjectIn = (text) => {
  const value = parseInner(text);
  return isObject(value) ? (value as JsonObject) : undefined;
};

/**
 * Of all texts of a request together: a body holds thousands of them, each of which is one value to whoever has judged it.
 * What does not fit any more stays a text, and takes nothing of what is left but for its reading.
 */
export class InnerJson {
  #values: number;
  #chars: number = limits.innerJsonChars;
  readonly #keys: JsonKeys;

  /** As many values, and different names, as a request may have, or fewer. */
  constructor(most: { values?: number; keys?: number } = {}) {
    const { values = limits.innerJsonValues, keys = limits.jsonKeysMax } = most;
    this.#values = values;
    this.#keys = new JsonKeys({ count: keys });
  }

  /** Undefined for what is no JSON, or beyond what is left. */
  parsed(text: string): unknown {
    if (text.length > this.#chars) return undefined;
    this.#chars -= text.length;
    const values = valuesIn(text, { most: this.#values, deepest: limits.jsonDepthMax });
    if (values > this.#values || this.#keys.fault(text)) return undefined;
    this.#values -= values;
    return parseJson(text);
  }

  /** Of a text that cannot be an object nothing is taken. */
  readonly object: ObjectIn = (text) => {
    const value = MAY_BE_OBJECT.test(text) ? this.parsed(text) : undefined;
    return isObject(value) ? (value as JsonObject) : undefined;
  };
}

const MAY_BE_OBJECT = /^\s*\{/;

/** An object of so many fields at most, none of which holds others; nothing is made of any other text. */
export function flatObject(text: string, fields: number): JsonObject | undefined {
  const values = valuesIn(text, { most: fields, deepest: 1 });
  const value = Number.isFinite(values) ? parseJson(text) : undefined;
  return isObject(value) ? (value as JsonObject) : undefined;
}
