/** Looks through a prompt for words that the operator does not want asked. */
import { fail } from '../../core/errors.ts';
import { readTexts, textsIn } from '../../core/inner-texts.ts';
import { limits } from '../../core/limits.ts';
import type { WordMatcher } from '../../core/word-matcher.ts';
import { promptTexts } from '../../dialects/prompt.ts';
import { promptWords } from '../../options/words.ts';
import { pause } from '../../platform/pause.ts';
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
  const texts = upload ? textsIn(upload.fields) : promptTexts(dialect, body);
  const word = await findIn(readTexts(texts), words);
  if (word === null) return;
  // The word is the operator's own; of the prompt nothing is written.
  log.warn('relay.sensitive', { request_id: id, word });
  throw fail('sensitive_words_detected');
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
        await pause();
        ofTurn = piece.length;
      }
      const [match] = scanner.push(piece);
      if (match) return text.slice(match.start, match.end);
    }
  }
  return null;
}
