/** Frames of AC-3 and E-AC-3 (ETSI TS 102 366, 4.3 and annex E.1.2), each as long and as large as its head says. */
import type { Feed } from './feed.ts';

const SYNC = 0x0b77;
const HEAD = 6;
const RATES: readonly number[] = [48_000, 44_100, 32_000];
const KBITS: readonly number[] = [
  32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
];
const BLOCK_SAMPLES = 256;
const BLOCKS: readonly number[] = [1, 2, 3, 6];
/** Versions from here on are the later kind. */
const LATER = 11;
const DEPENDENT = 1;

/** Seconds of the frames that begin before a position. */
export function* ac3In(feed: Feed, end: number): Generator<void, number> {
  let seconds = 0;
  for (;;) {
    if (!feed.has(HEAD) && !(yield* feed.need(HEAD))) return seconds;
    if (feed.position >= end) return seconds;
    const frame = feed.u16(0) === SYNC ? frameAt(feed) : null;
    if (!frame) {
      feed.find(SYNC >> 8, end);
      continue;
    }
    seconds += frame.seconds;
    feed.skip(frame.bytes);
  }
}

function frameAt(feed: Feed): { seconds: number; bytes: number } | null {
  const code = feed.u8(4);
  const version = feed.u8(5) >> 3;
  const rate = RATES[code >> 6];
  if (version < LATER) {
    const kbits = KBITS[(code & 63) >> 1];
    if (rate === undefined || kbits === undefined) return null;
    const slowed = rate / 2 ** Math.max(version - 8, 0);
    const words = Math.floor((kbits * 96_000) / rate) + (rate === 44_100 ? code & 1 : 0);
    return { seconds: (6 * BLOCK_SAMPLES) / slowed, bytes: 2 * words };
  }
  const bytes = 2 * ((feed.u16(2) & 0x7ff) + 1);
  if (bytes < HEAD) return null;
  if (feed.u8(2) >> 6 === DEPENDENT) return { seconds: 0, bytes };
  const half = RATES[(code >> 4) & 3];
  if (rate === undefined && half === undefined) return null;
  const blocks = rate === undefined ? 6 : (BLOCKS[(code >> 4) & 3] ?? 6);
  return { seconds: (blocks * BLOCK_SAMPLES) / (rate ?? (half ?? 0) / 2), bytes };
}
