/**
 * Which answers are due at a price a call, whatever is told of them. What came is, known or not. Where nothing came, its end
 * says whether something was written: who chooses the word that ends an answer reads it from that, and nothing else of it.
 */
import { limits } from '../core/limits.ts';
import type { TappedRequest } from './dialect.ts';
import type { StopReason } from './neutral.ts';
import { isFiltered, readStop, type StopWords } from './stop-words.ts';

/** What the end of an answer says of it: it was refused or kept back, something was written for it, or nothing of the kind. */
export type AnswerEnd = 'filtered' | 'written' | 'ordinary';

/** A word that ended it was written, and so was all that there was room for, and a call that could not be read. */
const WRITTEN: ReadonlySet<StopReason | null> = new Set<StopReason>([
  'stop-sequence',
  'length',
  'context-length',
  'malformed-tool-call',
]);

/** `word`: the one of the caller's that is named as its end. */
export function answerEnd(stop: StopReason | null, word: string | null | undefined = null): AnswerEnd {
  if (isFiltered(stop)) return 'filtered';
  return WRITTEN.has(stop) || word ? 'written' : 'ordinary';
}

/** The same by the words of a dialect. */
export const endIn = (
  stops: StopWords,
  reason: string | null | undefined,
  word?: string | null | undefined,
): AnswerEnd => answerEnd(readStop(stops, reason ?? '', false), word);

interface Seen {
  end: AnswerEnd;
  /** Anything came in it. */
  says(): boolean;
  /** Some of that is known to count as output. */
  hasOutput(): boolean;
}

/** Of what was filtered the shape may be left of what was kept back, which is nothing to pay for. */
export const isDue = ({ end, says, hasOutput }: Seen): boolean =>
  end === 'filtered' ? hasOutput() : end === 'written' || says();

/** Which of them a frame is of only its reader knows. */
export const isOfSeveral = ({ choices = 1 }: TappedRequest): boolean => choices > 1;

interface Noted {
  end: AnswerEnd;
  says: boolean;
  hasOutput: boolean;
}

/** The answers of a stream by their numbers, as far as its frames are read. */
export class StreamedAnswers {
  readonly #seen = new Map<number, Noted>();

  /** More of one has come. */
  came(answer: number, hasOutput: () => boolean): void {
    const seen = this.#of(answer);
    seen.says = true;
    seen.hasOutput ||= hasOutput();
  }

  /** The last word of each holds. */
  ended(answer: number, end: AnswerEnd): void {
    this.#of(answer).end = end;
  }

  get areAllFiltered(): boolean {
    return this.#seen.size > 0 && [...this.#seen.values()].every(({ end }) => end === 'filtered');
  }

  get due(): number {
    let due = 0;
    for (const { end, says, hasOutput } of this.#seen.values()) {
      if (isDue({ end, says: () => says, hasOutput: () => hasOutput })) due++;
    }
    return due;
  }

  #of(answer: number): Noted {
    const known = this.#seen.get(answer);
    if (known) return known;
    const seen: Noted = { end: 'ordinary', says: false, hasOutput: false };
    // Nobody can ask for more.
    if (this.#seen.size < limits.messagesMax) this.#seen.set(answer, seen);
    return seen;
  }
}
