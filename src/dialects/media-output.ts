/** How much sound stands in an answer, which holds it as base64. */
import { audioSeconds } from '../core/audio-length/audio-length.ts';
import { bytesOfBase64 } from './base64.ts';

/** Streams of sound are samples of two bytes, 24,000 a second. */
const SAMPLES_BYTES_A_SECOND = 48_000;

/** Seconds of a file, or of a piece of a stream. */
export const secondsIn = (base64: string): number =>
  audioSeconds(bytesOfBase64(base64)) ?? Math.floor((base64.length * 3) / 4) / SAMPLES_BYTES_A_SECOND;
