/** Sums of what answers of a Realtime session can come to at the most. */
import type { PromptBound } from '../../core/price-bound.ts';

/** What they read, in tokens of each kind that a session has: nothing foretold or marked. */
export type SessionBound = Pick<PromptBound, 'text' | 'audio' | 'image' | 'films'>;

/** By the same rule for every kind. */
export const ofEachKind = (tokens: (kind: keyof SessionBound) => number): SessionBound => ({
  text: tokens('text'),
  audio: tokens('audio'),
  image: tokens('image'),
  films: tokens('films'),
});

export const NOTHING_TO_READ: SessionBound = { text: 0, audio: 0, image: 0 };

export const sumOfBounds = (a: SessionBound, b: SessionBound): SessionBound =>
  ofEachKind((kind) => (a[kind] ?? 0) + (b[kind] ?? 0));

/** What the first has more of than the other. */
export const boundBeyond = (a: SessionBound, b: SessionBound): SessionBound =>
  ofEachKind((kind) => Math.max((a[kind] ?? 0) - (b[kind] ?? 0), 0));

/** Of each kind that of which there is less. */
export const leastOf = (a: SessionBound, b: SessionBound): SessionBound =>
  ofEachKind((kind) => Math.min(a[kind] ?? 0, b[kind] ?? 0));

/** So many times as much. */
export const boundTimes = (bound: SessionBound, count: number): SessionBound =>
  ofEachKind((kind) => count * (bound[kind] ?? 0));

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
