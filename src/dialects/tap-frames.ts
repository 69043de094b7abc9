/** What the taps of all wires do alike with the frames that they let pass as they came. */
import type { FrameFacts } from './dialect.ts';

/** Words as they stand in the bytes of frames. */
export const wordsOf = (...words: readonly string[]): readonly Buffer[] =>
  words.map((word) => Buffer.from(word));

/** Whether one of the words stands in a frame. It is also found in an answer that speaks of it, which does no harm. */
export const tells = (frame: Buffer, words: readonly Buffer[]): boolean =>
  words.some((word) => frame.includes(word));

/** A frame that passes, and says nothing of the answer. */
export const PASS: FrameFacts = { content: false, drop: false, last: false, error: null };
/** A frame that is not for the caller; one that is no JSON object would only break his own parser. */
export const DROP: FrameFacts = { ...PASS, drop: true };
