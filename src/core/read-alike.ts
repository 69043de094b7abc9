/**
 * Which models make as many tokens of what they read as each other, as far as that is known: what was told of one then
 * holds for the other. Of pictures one makes 33 times as many as another, and of some scripts several times as many.
 */
import { bareName, isOpenAis } from './model-families.ts';
import { isSeenAlike } from './picture-tokens.ts';

export type Vocabulary = 'o200k' | 'cl100k';

/** OpenAI's (its own library tells them, tiktoken). A generation that nobody knows yet may have one of its own. */
const VOCABULARIES: readonly [name: RegExp, vocabulary: Vocabulary][] = [
  [/^(?:(?:chat)?gpt-4o|gpt-4\.[15]|gpt-5|o[134]|gpt-(?:audio|realtime|oss))(?!\d)/, 'o200k'],
  [/^gpt-(?:4|3\.5|35)(?![\d.o])/, 'cl100k'],
];

/** Null where nobody knows it. */
export function vocabularyOf(model: string): Vocabulary | null {
  const name = bareName(model);
  return VOCABULARIES.find(([family]) => family.test(name))?.[1] ?? null;
}

/** `isText`: they have read nothing else. */
export function readAlike(one: string, other: string, isText: boolean): boolean {
  if (undated(one) === undated(other)) return true;
  const vocabulary = vocabularyOf(one);
  return vocabulary !== null && vocabulary === vocabularyOf(other) && (isText || isSeenAlike(one, other));
}

/** OpenAI names by their days what a name has stood for. */
const undated = (model: string): string =>
  isOpenAis(bareName(model)) ? model.replace(/-20\d\d-\d\d-\d\d$/, '') : model;
