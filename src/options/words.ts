/** Matchers of the options that are lists of words, built again only when the list has changed. */
import { createWordMatcher, type WordMatcher } from '../core/word-matcher.ts';
import type { WordFilter } from '../dialects/word-filter.ts';
import type { Options } from './store.ts';

interface Built {
  version: number;
  text: string;
  matcher: WordMatcher;
}

type WordList = 'SensitiveWords' | 'AutomaticDisableKeywords';

const built = new WeakMap<Options, Map<WordList, Built>>();

export function wordsIn(options: Options, key: WordList): WordMatcher {
  const lists = built.get(options) ?? new Map<WordList, Built>();
  built.set(options, lists);
  const known = lists.get(key);
  if (known?.version === options.version) return known.matcher;
  const { version } = options;
  const text = options.text(key);
  const matcher = known?.text === text ? known.matcher : createWordMatcher(options.get(key));
  lists.set(key, { version, text, matcher });
  return matcher;
}

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
