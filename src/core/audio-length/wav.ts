/**
 * RIFF files with WAVE sound, and their form for more than four gigabytes (RF64). Decoders go by samples, channels and
 * bits: the header's own bytes a second is a fourth number that nobody reads, and the size of the data one that streams
 * leave empty. Formats: RFC 2361; EBU Tech 3306 for RF64.
 */
import { type Feed, REST, STEPS_A_CHUNK, type Walk } from './feed.ts';
import { walkFrames } from './mpeg.ts';

/** What streams write who do not know yet how much will come. */
const UNKNOWN_SIZES: readonly number[] = [0, 0xffffffff];

const EXTENSIBLE = 0xfffe;
const MPEG = 0x55;
/** Samples as they are: integers, floating numbers, A-law, mu-law. */
const PLAIN: ReadonlySet<number> = new Set([1, 3, 6, 7]);
/** Bits a sample of the packed ones: ADPCM of Microsoft and of the IMA; GSM, which packs 320 into 65 bytes. */
const PACKED_BITS: ReadonlyMap<number, number> = new Map([
  [2, 4],
  [0x11, 4],
  [0x31, (65 * 8) / 320],
]);

const isStart = (feed: Feed): boolean => feed.isWord(0, 'RIFF') || feed.isWord(0, 'RF64');

export const isWav = (feed: Feed): boolean => isStart(feed) && feed.isWord(8, 'WAVE');

export function* walkWav(feed: Feed): Walk {
  let rate = 0;
  while (feed.has(8) || (yield* feed.need(8))) {
    feed.step(STEPS_A_CHUNK);
    const size = feed.u32le(4);
    if (isStart(feed)) {
      // Also that of another file behind the first.
      feed.skip(12);
    } else if (feed.isWord(0, 'data')) {
      feed.skip(8);
      feed.take(UNKNOWN_SIZES.includes(size) ? REST : size);
      feed.skip(size % 2);
    } else if (feed.isWord(0, 'fmt ')) {
      if (!(yield* feed.need(FORMAT_BYTES)) && !feed.has(24)) break;
      const tag = formatOf(feed);
      if (tag === MPEG) return yield* walkFrames(feed);
      const found = bytesASecond(feed, tag);
      if (found === 0) return null;
      // Of two heads the slower one: nobody can tell which is followed.
      rate = rate === 0 ? found : Math.min(rate, found);
      feed.skip(8 + size + (size % 2));
    } else if (isName(feed)) {
      feed.skip(8 + size + (size % 2));
    } else {
      // No chunk: more of the sound, beyond the size that was told.
      feed.take(REST);
    }
  }
  return rate > 0 ? { walked: feed.taken / rate, told: 0 } : null;
}

/** With the head of its chunk, and what says of an extensible format which one it is. */
const FORMAT_BYTES = 34;

/** Chunks are named in letters, figures and blanks. */
const isName = (feed: Feed): boolean => /^[\x20-\x7e]{4}$/.test(feed.word(0, 4));

function formatOf(feed: Feed): number {
  const tag = feed.u16le(8);
  return tag === EXTENSIBLE && feed.has(FORMAT_BYTES) ? feed.u16le(32) : tag;
}

/** 0 for packings that are not known here: the header alone tells their rate, and it may say anything. */
function bytesASecond(feed: Feed, tag: number): number {
  const [channels, rate, align, bits] = [feed.u16le(10), feed.u32le(12), feed.u16le(20), feed.u16le(22)];
  const packed = PACKED_BITS.get(tag);
  if (packed !== undefined) return (channels * rate * packed) / 8;
  return PLAIN.has(tag) ? (channels * Math.ceil(bits / 8) || align) * rate : 0;
}
