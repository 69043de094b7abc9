/** Streams as bytes that arrive in pieces of any size. */
import fc from 'fast-check';
import type { StreamReader } from '../../src/dialects/codec.ts';
import { type Frame, FrameSplitter, parseFrame } from '../../src/dialects/frames.ts';
import type { StreamEvent } from '../../src/dialects/neutral.ts';

/** The same bytes cut at any places, empty pieces included. */
export const pieces = (bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> =>
  fc.array(fc.nat(bytes.length), { maxLength: 40 }).map((cuts) => {
    const borders = [0, ...cuts.sort((a, b) => a - b), bytes.length];
    return borders.slice(1).map((end, n) => bytes.subarray(borders[n], end));
  });

/** The frames of an event stream that arrives so. */
export function sseFrames(chunks: readonly Uint8Array[]): Frame[] {
  const splitter = new FrameSplitter();
  const raw = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.rest();
  return [...raw, ...(rest ? [rest] : [])].map(parseFrame).filter((frame) => frame !== null);
}

/** Everything that a stream means, its end included. */
export const eventsOfFrames = (reader: StreamReader, frames: readonly Frame[]): StreamEvent[] => [
  ...frames.flatMap((frame) => reader.push(frame)),
  ...reader.end(),
];

/** What a passage writes, as text. */
export const textOf = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
