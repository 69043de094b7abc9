/** Words that the operator wants neither asked nor answered. */
import { fail } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { valuesIn } from '../../core/json-depth.ts';
import { limits } from '../../core/limits.ts';
import { withoutEscapes } from '../../core/unescape.ts';
import type { WordMatcher } from '../../core/word-matcher.ts';
import type { WordFilter } from '../../dialects/word-filter.ts';
import type { Options } from '../../options/store.ts';
import { wordsIn } from '../../options/words.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';

/** Throws sensitive_words_detected. Long prompts are read in turns with everything else that waits. */
export async function checkPrompt(
  { id, dialect, body, upload }: Pick<RelayRequest, 'id' | 'dialect' | 'body' | 'upload'>,
  { options, log }: Pick<RelayDeps, 'options' | 'log'>,
): Promise<void> {
  const words = promptWords(options);
  if (!words) return;
  // Of a form every field is text, and a name may come several times: which of them counts only the upstream knows.
  const texts = upload ? textsIn(upload.fields) : dialect.promptTexts(body);
  const word = await findIn(readTexts(texts), words);
  if (word === null) return;
  // The word is the operator's own; of the prompt nothing is written.
  log.warn('relay.sensitive', { request_id: id, word });
  throw fail('sensitive_words_detected');
}

/** What prompts must be clean of; null for nothing. */
export function promptWords(options: Options): WordMatcher | null {
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled')) return null;
  const words = wordsIn(options, 'SensitiveWords');
  return words.longest === 0 ? null : words;
}

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

/** The first word that one of the texts contains, as it stands there; null for none. */
export async function findIn(texts: Iterable<string>, words: WordMatcher): Promise<string | null> {
  let ofTurn = 0;
  for (const text of texts) {
    const scanner = words.scanner();
    for (let at = 0; at < text.length; at += limits.scanChars) {
      const piece = text.slice(at, at + limits.scanChars);
      ofTurn += piece.length;
      if (ofTurn > limits.scanChars) {
        await new Promise(setImmediate);
        ofTurn = piece.length;
      }
      const [match] = scanner.push(piece);
      if (match) return text.slice(match.start, match.end);
    }
  }
  return null;
}

/** What answers must be kept clean of; null for nothing. */
export function answerFilter(options: Options): WordFilter | null {
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnCompletionEnabled')) return null;
  const words = wordsIn(options, 'SensitiveWords');
  if (words.longest === 0) return null;
  return {
    words,
    stops: options.get('StopOnSensitiveEnabled'),
    heldBack: options.get('StreamCacheQueueLength'),
  };
}
