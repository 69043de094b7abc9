/** The words that a dialect has for why an answer ended. Each that callers speak states its own in its `stops.ts`. */
import type { StopReason } from './neutral.ts';

export interface StopWords {
  /** Words of the dialect, and of vendors that copied it, with what they mean. */
  read: Readonly<Record<string, StopReason>>;
  /** The word for each reason; reasons that the dialect does not know share the word of the nearest. */
  write: Readonly<Record<StopReason, string>>;
}

/**
 * The reason that a word means. An answer that calls tools and says no more than that it ended waits for their results,
 * whatever word its dialect or vendor has for that.
 */
export function readStop({ read }: StopWords, word: string, callsTools: boolean): StopReason {
  const stop = Object.hasOwn(read, word) ? (read[word] ?? 'other') : 'other';
  return stop === 'stop' && callsTools ? 'tool-calls' : stop;
}

const FILTERED: ReadonlySet<StopReason | null> = new Set<StopReason>([
  'refusal',
  'content-filter',
  'recitation',
]);

/** Whether an answer was refused, or kept back. */
export const isFiltered = (stop: StopReason | null): boolean => FILTERED.has(stop);

export const writeStop = ({ write }: StopWords, stop: StopReason): string => write[stop];
