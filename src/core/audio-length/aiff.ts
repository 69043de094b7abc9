/** Apple's AIFF and AIFF-C: samples as they are, by one of the laws of telephony, or packed. */
import { type Feed, REST, SLOWEST_BYTES_A_SECOND, STEPS_A_CHUNK, type Walk } from './feed.ts';

/** Words of AIFF-C for samples whose bits stand in the head: one byte at least, and four at most. */
const PLAIN: ReadonlySet<string> = new Set(['NONE', 'twos', 'sowt', 'raw ']);
const [BITS_LEAST, BITS_MOST] = [8, 32];
/** Bits of a sample of all others, by their words in small letters: packed ones come in blocks, as of 64 in 34 bytes. */
const BITS: ReadonlyMap<string, number> = new Map([
  ['alaw', 8],
  ['ulaw', 8],
  ['in24', 24],
  ['in32', 32],
  ['fl32', 32],
  ['fl64', 64],
  ['ima4', (34 * 8) / 64],
  ['gsm ', (33 * 8) / 160],
  ['g722', 4],
  ['mac3', 8 / 3],
  ['mac6', 8 / 6],
]);

export const isAiff = (feed: Feed): boolean =>
  feed.isWord(0, 'FORM') && (feed.isWord(8, 'AIFF') || feed.isWord(8, 'AIFC'));

export function* walkAiff(feed: Feed): Walk {
  let slowest = Number.POSITIVE_INFINITY;
  let told = 0;
  while (feed.has(12) || (yield* feed.need(12))) {
    feed.step(STEPS_A_CHUNK);
    const size = feed.u32(4);
    if (feed.isWord(0, 'FORM')) {
      feed.skip(12);
    } else if (feed.isWord(0, 'SSND')) {
      feed.skip(16);
      // Writers who do not know yet how much will come leave the size empty.
      feed.take(size <= 8 ? REST : size - 8);
      feed.skip(size % 2);
    } else {
      if (feed.isWord(0, 'COMM') && ((yield* feed.need(30)) || feed.has(26))) {
        const rate = extended(feed, 16);
        const packing = size > 18 && feed.has(30) ? feed.word(26, 4) : 'NONE';
        // Of two heads the slower one: nobody can tell which is followed.
        slowest = Math.min(slowest, bytesASecond(packing, feed.u16(14), feed.u16(8) * rate));
        told = rate > 0 ? feed.u32(10) / rate : 0;
      }
      feed.skip(8 + size + (size % 2));
    }
  }
  if (slowest === 0) return null;
  const walked = feed.taken / slowest;
  return walked + told > 0 ? { walked, told } : null;
}

/** Of so many samples a second; 0 where that is not told. What is packed in a way that is not known here is slow. */
function bytesASecond(packing: string, bits: number, samples: number): number {
  const known = PLAIN.has(packing)
    ? 8 * Math.ceil(Math.min(Math.max(bits, BITS_LEAST), BITS_MOST) / 8)
    : BITS.get(packing.toLowerCase());
  return samples > 0 && known === undefined ? SLOWEST_BYTES_A_SECOND : (samples * (known ?? 0)) / 8;
}

/** An 80-bit floating number, as rates are kept here. */
function extended(feed: Feed, at: number): number {
  const rate = feed.u64(at + 2) * 2 ** ((feed.u16(at) & 0x7fff) - 16_383 - 63);
  return Number.isFinite(rate) && rate >= 1 ? rate : 0;
}
