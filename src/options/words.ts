/** Matchers of the options that are lists of words, built again only when the list has changed. */
import { createWordMatcher, type WordMatcher } from '../core/word-matcher.ts';
import type { WordFilter } from '../dialects/word-filter.ts';
import { keptByVersion } from './by-version.ts';
import type { Options } from './store.ts';

type WordList = 'SensitiveWords' | 'AutomaticDisableKeywords';

interface Built {
  text: string;
  matcher: WordMatcher;
}

const builtOf = (key: WordList) =>
  keptByVersion<Built>((options, before) => {
    const text = options.text(key);
    return before?.text === text ? before : { text, matcher: createWordMatcher(options.get(key)) };
  });

const built = {
  SensitiveWords: builtOf('SensitiveWords'),
  AutomaticDisableKeywords: builtOf('AutomaticDisableKeywords'),
};

export const wordsIn = (options: Options, key: WordList): WordMatcher => built[key](options).matcher;

/** What prompts must be clean of; null for nothing. */
export function promptWords(options: Options): WordMatcher | null {
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled')) return null;
  const words = wordsIn(options, 'SensitiveWords');
  return words.longest === 0 ? null : words;
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
