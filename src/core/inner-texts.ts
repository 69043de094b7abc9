/** The texts in a value, and in the JSON that stands in a text. */
import { InnerJson } from './inner-json.ts';
import { withoutEscapes } from './unescape.ts';

/** JSON inside of JSON inside of JSON is read as such; deeper it is a text. */
const JSON_LAYERS = 4;

/**
 * Texts as a model reads them: tools, their arguments and their results are JSON, which may spell a letter by its number
 * and holds a line end as two letters. Names of fields are texts too. All texts of a request share one budget, beyond
 * which they are read as they stand and with their spelling undone; each is read when it is asked for.
 */
export function* readTexts(texts: Iterable<string>, json = new InnerJson()): Generator<string, void> {
  for (const text of texts) yield* textsOf(text, JSON_LAYERS, json);
}

function* textsOf(text: string, layers: number, json: InnerJson): Generator<string, void> {
  const isJson = layers > 0 && looksLikeJson(text);
  const value = isJson ? json.parsed(text) : undefined;
  if (value === undefined) {
    yield text;
    if (isJson && text.includes('\\')) yield withoutEscapes(text);
  } else {
    for (const inner of textsIn(value)) yield* textsOf(inner, layers - 1, json);
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
