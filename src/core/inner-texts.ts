/** The texts in a value, and in the JSON that stands in a text. */
import { parseJson } from './json.ts';
import { valuesIn } from './json-depth.ts';
import { limits } from './limits.ts';
import { withoutEscapes } from './unescape.ts';

/** JSON inside of JSON inside of JSON is read as such; deeper it is a text. */
const JSON_LAYERS = 4;

/**
 * Texts as a model reads them: tools, their arguments and their results are JSON, which may spell a letter by its number
 * and holds a line end as two letters. Names of fields are texts too. All texts of a request share one budget, beyond
 * which they are read as they stand and with their spelling undone; each is read when it is asked for.
 */
export function* readTexts(texts: Iterable<string>): Generator<string, void> {
  const inner = new InnerJson();
  for (const text of texts) yield* inner.textsOf(text, JSON_LAYERS);
}

class InnerJson {
  #values: number = limits.innerJsonValues;
  #chars: number = limits.innerJsonChars;

  *textsOf(text: string, layers: number): Generator<string, void> {
    const isJson = layers > 0 && looksLikeJson(text);
    const value = isJson ? this.#parsed(text) : undefined;
    if (value === undefined) {
      yield text;
      if (isJson && text.includes('\\')) yield withoutEscapes(text);
    } else {
      for (const inner of textsIn(value)) yield* this.textsOf(inner, layers - 1);
    }
  }

  /** Undefined for what is no JSON, or beyond what is left of the budget. */
  #parsed(text: string): unknown {
    if (text.length > this.#chars) return undefined;
    this.#chars -= text.length;
    const values = valuesIn(text, { most: this.#values, deepest: limits.jsonDepthMax });
    if (values > this.#values) return undefined;
    this.#values -= values;
    return parseJson(text);
  }
}

/** Whether a text may be JSON with texts in it. */
export const looksLikeJson = (text: string): boolean => /^\s*[{["]/.test(text);

/** A place in a list, or the whole. */
const IS_INDEX = /^\d*$/;

/** All texts in a value, and the names in it. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  JSON.stringify(value, (name, inner: unknown) => {
    if (!IS_INDEX.test(name)) texts.push(name);
    if (typeof inner === 'string') texts.push(inner);
    return inner;
  });
  return texts;
}
