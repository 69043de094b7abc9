/**
 * Apple's AIFF and AIFF-C: samples as they are, by one of the laws of telephony, or packed. A head is believed that is
 * written as all write it; of any other nobody can tell which of its numbers is followed.
 */
import { type Feed, REST, STEPS_A_CHUNK, Untold, type Walk } from './feed.ts';

/** What a word of AIFF-C means: bits that a sample takes, bits that the head may tell, and the most channels. */
interface Packing {
  bits: number;
  told: readonly number[];
  channelsMost?: number;
}
const plain = (bits: number, told: readonly number[] = [bits]): Packing => ({ bits, told });
/** Blocks have one or two channels; what is unpacked from them stands in the head, or that it is not told. */
const packed = (bits: number, channelsMost: number): Packing => ({
  bits,
  told: [0, 4, 8, 16],
  channelsMost,
});
const PACKINGS: ReadonlyMap<string, Packing> = new Map([
  ['sowt', plain(16)],
  ['raw ', plain(8)],
  ['in24', plain(24)],
  ['in32', plain(32)],
  ['fl32', plain(32)],
  ['fl64', plain(64)],
  ['alaw', plain(8, [8, 16])],
  ['ulaw', plain(8, [8, 16])],
  ['ima4', packed((34 * 8) / 64, 2)],
  ['gsm ', packed((33 * 8) / 160, 1)],
  ['g722', packed(4, 1)],
  ['mac3', packed(8 / 3, 2)],
  ['mac6', packed(8 / 6, 2)],
]);
/** Without a word, and by two of them, the head tells the bits. */
const TOLD_BITS: readonly number[] = [8, 16, 24, 32];
const TOLD: ReadonlySet<string> = new Set(['none', 'twos']);

const PLAIN_HEAD = 18;
const WORD_HEAD = 22;
/** The one version of AIFF-C. */
const VERSION = 0xa2805140;
/** More nobody sends. */
const RATE_MOST = 768_000;

export const isAiff = (feed: Feed): boolean =>
  feed.isWord(0, 'FORM') && (feed.isWord(8, 'AIFF') || feed.isWord(8, 'AIFC'));

export function* walkAiff(feed: Feed): Walk {
  const hasWord = feed.isWord(8, 'AIFC');
  feed.skip(12);
  let rate = 0;
  while (feed.has(8) || (yield* feed.need(8))) {
    feed.step(STEPS_A_CHUNK);
    const size = feed.u32(4);
    const end = 8 + size + (size % 2);
    if (feed.isWord(0, 'SSND')) {
      feed.skip(16);
      // Writers who do not know yet how much will come leave the size empty.
      feed.take(size <= 8 ? REST : size - 8);
      feed.skip(size % 2);
    } else if (feed.isWord(0, 'COMM')) {
      if (!(yield* feed.need(8 + (hasWord ? WORD_HEAD : PLAIN_HEAD)))) break;
      // Of two heads nobody can tell which is followed.
      if (rate > 0) throw new Untold();
      rate = bytesASecond(feed, size, hasWord);
      feed.skip(end);
    } else if (feed.isWord(0, 'FVER')) {
      if (!(yield* feed.need(12))) break;
      if (!hasWord || size !== 4 || feed.u32(8) !== VERSION) throw new Untold();
      feed.skip(end);
    } else if (OTHERS.test(feed.word(0, 4))) {
      throw new Untold();
    } else {
      feed.skip(end);
    }
  }
  return rate > 0 ? { walked: feed.taken / rate, told: 0 } : null;
}

/** Another file within the first, and what says of another codec. */
const OTHERS = /^(FORM|wave)$/;

function bytesASecond(feed: Feed, size: number, hasWord: boolean): number {
  const [channels, bits, rate] = [feed.u16(8), feed.u16(14), extended(feed, 16)];
  const word = hasWord && size >= WORD_HEAD ? feed.word(26, 4).toLowerCase() : null;
  const isWhole = hasWord ? word !== null : size === PLAIN_HEAD;
  const packing = word === null || TOLD.has(word) ? plain(bits, TOLD_BITS) : PACKINGS.get(word);
  if (!isWhole || !packing?.told.includes(bits)) throw new Untold();
  if (channels === 0 || channels > (packing.channelsMost ?? channels)) throw new Untold();
  if (rate === 0 || rate > RATE_MOST) throw new Untold();
  return (channels * rate * packing.bits) / 8;
}

/** An 80-bit floating number, as rates are kept here; nobody hears a part of one. */
function extended(feed: Feed, at: number): number {
  const rate = feed.u64(at + 2) * 2 ** ((feed.u16(at) & 0x7fff) - 16_383 - 63);
  return Number.isFinite(rate) ? Math.floor(rate) : 0;
}
