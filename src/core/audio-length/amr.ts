/** AMR, narrow and wide, as phones record it (RFC 4867): frames of 20 ms, whose size their first byte tells. */
import type { Feed, Walk } from './feed.ts';

const NARROW = { head: '#!AMR\n', bytes: [13, 14, 16, 18, 20, 21, 27, 32, 6] };
const WIDE = { head: '#!AMR-WB\n', bytes: [18, 24, 33, 37, 41, 47, 51, 59, 61, 6] };
const SECONDS_A_FRAME = 0.02;

export const isAmr = (feed: Feed): boolean => feed.isWord(0, NARROW.head) || feed.isWord(0, WIDE.head);

export function* walkAmr(feed: Feed): Walk {
  const { head, bytes } = feed.isWord(0, NARROW.head) ? NARROW : WIDE;
  feed.skip(head.length);
  let frames = 0;
  for (; feed.has(1) || (yield* feed.need(1)); frames++) feed.skip(bytes[(feed.u8(0) >> 3) & 15] ?? 1);
  return { walked: frames * SECONDS_A_FRAME, told: 0 };
}
