/** How long packets of Opus are, which the first two bytes of each tell (RFC 6716, 3.1 and 3.2). */

export const OPUS_RATE = 48_000;

/** Milliseconds of a frame by the packet's configuration: of speech, of both, of music. */
const SPEECH = [10, 20, 40, 60] as const;
const MUSIC = [2.5, 5, 10, 20] as const;

const frameMs = (config: number): number =>
  config < 12 ? (SPEECH[config % 4] ?? 0) : config < 16 ? 10 * (1 + (config % 2)) : (MUSIC[config % 4] ?? 0);

/** No packet has more. */
const MOST_MS = 120;

/** Seconds of the packet that begins with these bytes. */
export function opusSeconds(first: number, second: number): number {
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : second & 63;
  return Math.min(frames * frameMs(first >> 3), MOST_MS) / 1000;
}
