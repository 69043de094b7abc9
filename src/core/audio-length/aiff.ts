/** Apple's AIFF and AIFF-C: samples with the highest byte first, as they are or by one of the laws of telephony. */
import { type Feed, REST, type Walk } from './feed.ts';

/** Words of AIFF-C for what is not packed. */
const PLAIN = /^(NONE|twos|sowt|raw |in24|in32|fl32|FL32|fl64|FL64)$/;
const LAW = /^(alaw|ALAW|ulaw|ULAW)$/;

export const isAiff = (feed: Feed): boolean =>
  feed.isWord(0, 'FORM') && (feed.isWord(8, 'AIFF') || feed.isWord(8, 'AIFC'));

export function* walkAiff(feed: Feed): Walk {
  let bytesASecond = 0;
  let told = 0;
  while (feed.has(12) || (yield* feed.need(12))) {
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
        const bits = LAW.test(packing) ? 8 : PLAIN.test(packing) ? feed.u16(14) : 0;
        bytesASecond = feed.u16(8) * Math.ceil(bits / 8) * rate;
        told = rate > 0 ? feed.u32(10) / rate : 0;
      }
      feed.skip(8 + size + (size % 2));
    }
  }
  if (bytesASecond > 0) return { walked: feed.taken / bytesASecond, told };
  return told > 0 ? { walked: 0, told } : null;
}

/** An 80-bit floating number, as rates are kept here. */
function extended(feed: Feed, at: number): number {
  const rate = feed.u64(at + 2) * 2 ** ((feed.u16(at) & 0x7fff) - 16_383 - 63);
  return Number.isFinite(rate) && rate >= 1 ? rate : 0;
}
