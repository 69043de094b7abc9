/** Sums of what answers of a Realtime session can come to at the most. */
import type { PromptBound } from '../../core/price-formula.ts';

/** What they read, in tokens of each kind that a session has: no films, nothing foretold or marked. */
export type SessionBound = Pick<PromptBound, 'text' | 'audio' | 'image'>;

export const NOTHING_TO_READ: SessionBound = { text: 0, audio: 0, image: 0 };

export const sumOfBounds = (a: SessionBound, b: SessionBound): SessionBound => ({
  text: a.text + b.text,
  audio: a.audio + b.audio,
  image: a.image + b.image,
});

/** What the first has more of than the other. */
export const boundBeyond = (a: SessionBound, b: SessionBound): SessionBound => ({
  text: Math.max(a.text - b.text, 0),
  audio: Math.max(a.audio - b.audio, 0),
  image: Math.max(a.image - b.image, 0),
});

/** Of each kind that of which there is less. */
export const leastOf = (a: SessionBound, b: SessionBound): SessionBound => ({
  text: Math.min(a.text, b.text),
  audio: Math.min(a.audio, b.audio),
  image: Math.min(a.image, b.image),
});

/** So many times as much. */
export const boundTimes = ({ text, audio, image }: SessionBound, count: number): SessionBound => ({
  text: count * text,
  audio: count * audio,
  image: count * image,
});

/** What answers read and say at the most. */
export interface Most {
  prompt: SessionBound;
  /** Tokens. */
  output: number;
}

export const withMost = (sum: Most, { prompt, output }: Most): Most => ({
  prompt: sumOfBounds(sum.prompt, prompt),
  output: sum.output + output,
});

export const withoutMost = (sum: Most, { prompt, output }: Most): Most =>
  withMost(sum, { prompt: boundTimes(prompt, -1), output: -output });
