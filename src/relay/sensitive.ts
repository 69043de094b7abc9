/** Words that the operator wants neither asked nor answered. */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { WordMatcher } from '../core/word-matcher.ts';
import type { WordFilter } from '../dialects/word-filter.ts';
import type { Options } from '../options/store.ts';
import { wordsIn } from '../options/words.ts';
import type { RelayDeps } from './deps.ts';
import type { RelayRequest } from './request.ts';

/** Throws sensitive_words_detected. Long prompts are read in turns with everything else that waits. */
export async function checkPrompt(
  { id, dialect, body }: Pick<RelayRequest, 'id' | 'dialect' | 'body'>,
  { options, log }: Pick<RelayDeps, 'options' | 'log'>,
): Promise<void> {
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled')) return;
  const words = wordsIn(options, 'SensitiveWords');
  if (words.longest === 0) return;
  const word = await findIn(dialect.promptTexts(body), words);
  if (word === null) return;
  // The word is the operator's own; of the prompt nothing is written.
  log.warn('relay.sensitive', { request_id: id, word });
  throw fail('sensitive_words_detected');
}

/** The first word that one of the texts contains, as it stands there; null for none. */
export async function findIn(texts: readonly string[], words: WordMatcher): Promise<string | null> {
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
