/** A film as callers know it: the object `video` of OpenAI's Videos API (the `openai` package 7.55, `resources/videos`). */
import type { JsonObject } from './json.ts';

/** In the words of the rows of tasks (`core/tasks.ts`). */
export interface Film {
  /** 128 random bits in hexadecimal digits. */
  publicId: string;
  model: string;
  status: string;
  /** 0 to 100. */
  progress: number;
  prompt: string;
  /** As it was asked for, `8`, or as its upstream has made it. */
  seconds: string;
  /** `1280x720`; empty where none was asked for. */
  size: string;
  /** Unix seconds; 0 for what has not happened. */
  createdSec: number;
  completedSec: number;
  /** When the upstream removes it; 0 where it does not tell. */
  expiresSec: number;
  /** Why it failed; empty while it has not. */
  failure: string;
}

/** What every film's id on the wire begins with. */
const PREFIX = 'video_';

export const filmId = (publicId: string): string => PREFIX + publicId;

/** The id of a row that a caller's word names. */
export const publicIdOf = (named: string): string =>
  named.startsWith(PREFIX) ? named.slice(PREFIX.length) : named;

/** What OpenAI makes where no size is asked for. */
export const DEFAULT_FILM_SIZE = '720x1280';

/** Whatever has more is no film. */
const TOLD_SECONDS_MOST = 999_999;

/**
 * How many whole seconds an upstream says that a film has, as a number or a text: none has as many as were asked for to the
 * frame. Null for what is no length of a film.
 */
export function filmSecondsIn(told: unknown): number | null {
  const seconds = Math.round(typeof told === 'number' || typeof told === 'string' ? Number(told) : 0);
  return seconds >= 1 && seconds <= TOLD_SECONDS_MOST ? seconds : null;
}

const WAITING: ReadonlySet<string> = new Set(['', 'NOT_START', 'SUBMITTED', 'QUEUED']);
const OVER: Readonly<Record<string, string>> = { SUCCESS: 'completed', FAILURE: 'failed' };

const stateOf = (status: string): string => OVER[status] ?? (WAITING.has(status) ? 'queued' : 'in_progress');

export const videoObject = (film: Film): JsonObject => ({
  id: filmId(film.publicId),
  object: 'video',
  model: film.model,
  status: stateOf(film.status),
  progress: film.progress,
  created_at: film.createdSec,
  completed_at: film.status === 'SUCCESS' ? film.completedSec : null,
  expires_at: film.expiresSec === 0 ? null : film.expiresSec,
  prompt: film.prompt,
  seconds: film.seconds,
  size: film.size || DEFAULT_FILM_SIZE,
  remixed_from_video_id: null,
  error: film.status === 'FAILURE' ? { code: 'video_generation_failed', message: film.failure } : null,
});
