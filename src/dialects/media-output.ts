/** How much sound stands in an answer, which holds it as base64. */
import { audioSeconds } from '../core/audio-length.ts';

/** Streams of sound are samples of two bytes, 24,000 a second. */
const SAMPLES_BYTES_A_SECOND = 48_000;
/** Enough of a file for its header. */
const HEAD_CHARS = 4_096;

/** Seconds of a file, or of a piece of a stream. */
export function secondsIn(base64: string): number {
  const bytes = Math.floor((base64.length * 3) / 4);
  return audioSeconds(Buffer.from(base64.slice(0, HEAD_CHARS), 'base64'), bytes, SAMPLES_BYTES_A_SECOND);
}
