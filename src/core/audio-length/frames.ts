/** How long what should be one frame of a codec is, by how many bytes it has. */
import { SLOWEST_BYTES_A_SECOND } from './feed.ts';

export interface FrameKind {
  /** Of one frame. */
  seconds: number;
  /** One frame takes no more bytes; what is longer holds several, and decoders play all of them. */
  bytesMost: number;
  /** How slow several may be. */
  slowest?: number;
  /** What is sent to be heard is never denser, though a frame might be: more bytes are more frames. */
  densest?: number;
  /** What stands between two marks is never longer, however many bytes it has. */
  secondsMost?: number;
}

export function secondsOfFrame(kind: FrameKind, bytes: number): number {
  const { seconds, bytesMost, slowest = SLOWEST_BYTES_A_SECOND, densest, secondsMost } = kind;
  const rate = bytes > bytesMost ? slowest : densest;
  const longest = rate === undefined ? seconds : Math.max(seconds, bytes / rate);
  return Math.min(longest, secondsMost ?? longest);
}
