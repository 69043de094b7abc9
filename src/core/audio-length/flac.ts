/**
 * FLAC by its frames (RFC 9639): their headers are found by their mark and their own check sum, and tell how many
 * samples they hold. What the stream's head says of the whole may be 0, or anything.
 */
import { type Feed, REST, Untold, type Walk } from './feed.ts';

export const isFlac = (feed: Feed): boolean => feed.isWord(0, 'fLaC');

export function* walkFlac(feed: Feed): Walk {
  feed.skip(4);
  let told = 0;
  let rate = 0;
  // Blocks of metadata: the first has the rate, others pictures that are no frames.
  for (let isLast = false; !isLast && (yield* feed.need(4)); ) {
    const head = feed.u8(0);
    const size = feed.u32(0) & 0xffffff;
    if ((head & 127) === 127) break;
    const isInfo = (head & 127) === 0;
    // Of two readers follow the first or the last, and without one they go by nothing.
    if (isInfo !== (rate === 0) || (isInfo && size !== INFO_BYTES)) throw new Untold();
    if (isInfo && (yield* feed.need(4 + 18))) {
      const info = streamInfo(feed, 4);
      if (info.rate === 0) throw new Untold();
      rate = info.rate;
      told = info.samples / rate;
    }
    isLast = head > 127;
    feed.skip(4 + size);
  }
  const walked = yield* framesIn(feed, rate);
  return walked + told > 0 ? { walked, told } : null;
}

/** Of a head as other files keep it, from its first block on: the rate, the most samples of a frame, bytes of a sample. */
export function headOf(head: Buffer): { rate: number; most: number; sampleBytes: number } | null {
  if (head.length < 22 || ((head[0] ?? 0) & 127) !== 0) return null;
  const format = head.readUInt32BE(14);
  const [channels, bits] = [((format >>> 9) & 7) + 1, ((format >>> 4) & 31) + 1];
  return {
    rate: format >>> 12,
    most: head.readUInt16BE(6),
    sampleBytes: channels * Math.ceil((bits + 1) / 8),
  };
}

const INFO_BYTES = 34;

/** Of the block that every stream begins with: the rate, and the samples of all. */
function streamInfo(feed: Feed, at: number) {
  return {
    rate: feed.u32(at + 10) >>> 12,
    samples: (feed.u8(at + 13) & 15) * 2 ** 32 + feed.u32(at + 14),
  };
}

/** Silence takes some fourteen bytes a frame. */
const STEPS_A_SUM = 3;

const HEADER_LEAST = 6;
const HEADER_MOST = 16;

/** Seconds of the frames that begin before a position. */
export function* framesIn(feed: Feed, rateOfAll: number, end: number = REST): Generator<void, number> {
  let seconds = 0;
  for (;;) {
    if (!feed.has(HEADER_MOST)) yield* feed.need(HEADER_MOST);
    if (!feed.has(HEADER_LEAST) || feed.position >= end) return seconds;
    seconds += secondsAt(feed, rateOfAll);
    feed.find(0xff, end);
  }
}

/** Kilohertz, Hertz or tens of Hertz are written out; the others stand in this table. */
const RATES: readonly number[] = [
  0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/** 0 where no frame begins. */
function secondsAt(feed: Feed, rateOfAll: number): number {
  if (feed.u8(0) !== 0xff || (feed.u8(1) & 0xfe) !== 0xf8) return 0;
  const [sizeCode, rateCode] = [feed.u8(2) >> 4, feed.u8(2) & 15];
  if (sizeCode === 0 || rateCode === 15 || (feed.u8(3) & 1) === 1) return 0;
  // The number of the frame, as UTF-8 has it.
  let at = 4 + Math.max(Math.clz32(~(feed.u8(4) << 24)), 1);
  const samples =
    sizeCode === 6
      ? feed.u8(at) + 1
      : sizeCode === 7
        ? 256 * feed.u8(at) + feed.u8(at + 1) + 1
        : sizeOf(sizeCode);
  at += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rate =
    RATES[rateCode] ??
    (rateCode === 12
      ? 1000 * feed.u8(at)
      : (rateCode === 13 ? 1 : 10) * (256 * feed.u8(at) + feed.u8(at + 1)));
  at += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  feed.step(STEPS_A_SUM);
  if (!feed.has(at + 1) || checkSum(feed, at) !== feed.u8(at)) return 0;
  // Players go by the frame's own, or by that of all: the slower one counts.
  const known = rate && rateOfAll ? Math.min(rate, rateOfAll) : rate || rateOfAll;
  return known > 0 ? samples / known : 0;
}

const sizeOf = (code: number): number =>
  code === 1 ? 192 : code < 6 ? 576 << (code - 2) : 256 << (code - 8);

/** CRC-8 with the polynomial x^8 + x^2 + x + 1. */
function checkSum(feed: Feed, bytes: number): number {
  let sum = 0;
  for (let at = 0; at < bytes; at++) {
    sum ^= feed.u8(at);
    for (let bit = 0; bit < 8; bit++) sum = sum & 128 ? ((sum << 1) ^ 7) & 255 : sum << 1;
  }
  return sum;
}
