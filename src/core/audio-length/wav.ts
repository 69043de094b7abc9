/**
 * RIFF files with WAVE sound, and their form for more than four gigabytes (RF64). Decoders go by samples, channels and
 * bits, or by the bytes of a sample of all channels, and where these disagree nobody can tell which is followed. So a head
 * is believed that is written as all write it, and of any other nothing is told. Its own bytes a second are one more number,
 * which nobody reads, and the size of the data one that streams leave empty. Formats: RFC 2361; EBU Tech 3306 for RF64.
 */
import { type Feed, REST, STEPS_A_CHUNK, Untold, type Walk } from './feed.ts';
import { walkFrames } from './mpeg.ts';

/** What streams write who do not know yet how much will come, and files whose size stands in a chunk of its own. */
const LONG_SIZE = 0xffffffff;
const UNKNOWN_SIZES: readonly number[] = [0, LONG_SIZE];

const EXTENSIBLE = 0xfffe;
const MPEG = 0x55;
/** Samples as they are, and how many bits each may have: integers, floating numbers, A-law, mu-law. */
const PLAIN_BITS: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [8, 16, 24, 32, 64]],
  [3, [32, 64]],
  [6, [8]],
  [7, [8]],
]);
/** Bytes of the head where samples are as they are: of the first form, and of one that tells that it adds nothing. */
const PLAIN_HEADS: readonly number[] = [16, 18];
const EXTENSIBLE_HEAD = 40;
const EXTENSIBLE_ADDS = 22;
/** What follows the number of a format that is named behind the other fields. */
const NAMED = Buffer.from('000000001000800000aa00389b71', 'hex');

/** What packs samples into blocks: its bits of each, how it is told, and how many a block of so many bytes holds. */
interface Packing {
  head: number;
  bits: number;
  told: number;
  channelsMost: number;
  samples(align: number, channels: number): number;
}
/** ADPCM of Microsoft and of the IMA; GSM, which packs 320 into 65 bytes. */
const PACKED: ReadonlyMap<number, Packing> = new Map([
  [2, { head: 50, bits: 4, told: 4, channelsMost: 2, samples: (align, n) => ((align - 7 * n) * 2) / n + 2 }],
  [
    0x11,
    { head: 20, bits: 4, told: 4, channelsMost: 2, samples: (align, n) => ((align - 4 * n) * 2) / n + 1 },
  ],
  [
    0x31,
    { head: 20, bits: (65 * 8) / 320, told: 0, channelsMost: 1, samples: (align) => (align / 65) * 320 },
  ],
]);
const HEAD_MOST = 50;
/** More nobody sends. */
const RATE_MOST = 768_000;

const isStart = (feed: Feed): boolean => feed.isWord(0, 'RIFF') || feed.isWord(0, 'RF64');

export const isWav = (feed: Feed): boolean => isStart(feed) && feed.isWord(8, 'WAVE');

export function* walkWav(feed: Feed): Walk {
  if ((yield* feed.need(DICTATED_HEAD)) && isDictated(feed)) throw new Untold();
  const isLong = feed.isWord(0, 'RF64');
  feed.skip(12);
  let rate = 0;
  let long: number | null = null;
  while (feed.has(8) || (yield* feed.need(8))) {
    feed.step(STEPS_A_CHUNK);
    const size = feed.u32le(4);
    const end = 8 + size + (size % 2);
    if (feed.isWord(0, 'data')) {
      if (long !== null && size !== LONG_SIZE && size !== long) throw new Untold();
      feed.skip(8);
      yield* checkUnwrapped(feed, size);
      feed.take(UNKNOWN_SIZES.includes(size) ? REST : size);
      feed.skip(size % 2);
    } else if (feed.isWord(0, 'ds64')) {
      if (!isLong || !(yield* feed.need(24))) throw new Untold();
      long = feed.u32le(16) + feed.u32le(20) * 2 ** 32;
      feed.skip(end);
    } else if (feed.isWord(0, 'fmt ')) {
      if (!(yield* feed.need(8 + Math.min(size, HEAD_MOST)))) break;
      // Of two heads nobody can tell which is followed.
      if (rate > 0) throw new Untold();
      if (feed.u16le(8) === MPEG) return yield* walkFrames(feed);
      rate = bytesASecond(feed, size);
      feed.skip(end);
    } else if (isStart(feed)) {
      // Another file behind the first.
      feed.skip(12);
      feed.take(REST);
    } else if (OTHER_HEADS.test(feed.word(0, 4))) {
      throw new Untold();
    } else if (isName(feed)) {
      feed.skip(end);
    } else {
      // No chunk: more of the sound, beyond the size that was told.
      feed.take(REST);
    }
  }
  return rate > 0 ? { walked: feed.taken / rate, told: 0 } : null;
}

/** Chunks are named in letters, figures and blanks. */
const isName = (feed: Feed): boolean => /^[\x20-\x7e]{4}$/.test(feed.word(0, 4));

/** Chunks that say of another codec, which some readers follow. */
const OTHER_HEADS = /^(XMA2|SMV0)$/;

function bytesASecond(feed: Feed, size: number): number {
  const [channels, rate, align] = [feed.u16le(10), feed.u32le(12), feed.u16le(20)];
  if (channels === 0 || rate === 0 || rate > RATE_MOST || size < 16) throw new Untold();
  const tag = feed.u16le(8);
  const packing = PACKED.get(tag);
  if (packing) return packedBytes(feed, size, packing);
  const bits = feed.u16le(22);
  const isKnown = tag === EXTENSIBLE ? isNamed(feed, size, bits) : isPlain(feed, size, tag, bits);
  if (!isKnown || align !== (channels * bits) / 8) throw new Untold();
  return channels * Math.ceil((tag === EXTENSIBLE ? countingBits(feed, bits) : bits) / 8) * rate;
}

const isPlain = (feed: Feed, size: number, tag: number, bits: number): boolean =>
  PLAIN_HEADS.includes(size) &&
  (size === 16 || feed.u16le(24) === 0) &&
  (PLAIN_BITS.get(tag)?.includes(bits) ?? false);

/** Behind the size of what is added: the bits that count, the places, and the format. */
const isNamed = (feed: Feed, size: number, bits: number): boolean =>
  size === EXTENSIBLE_HEAD &&
  feed.u16le(24) === EXTENSIBLE_ADDS &&
  countingBits(feed, bits) <= bits &&
  feed.bytes(34, NAMED.length).equals(NAMED) &&
  (PLAIN_BITS.get(feed.u16le(32))?.includes(bits) ?? false);

/**
 * All where none are told. Where they fill fewer bytes than each sample has, some readers take those for its size; more
 * than that nobody hears.
 */
const countingBits = (feed: Feed, bits: number): number => feed.u16le(26) || bits;

function packedBytes(feed: Feed, size: number, { head, bits, told, channelsMost, samples }: Packing): number {
  const [channels, rate, align] = [feed.u16le(10), feed.u32le(12), feed.u16le(20)];
  const isKnown = size === head && feed.u16le(22) === told && feed.u16le(24) === size - 18;
  const block = samples(align, channels);
  if (!isKnown || channels > channelsMost || block <= 0 || feed.u16le(26) !== block) throw new Untold();
  return (channels * rate * bits) / 8;
}

// ---- What looks like WAVE and is read as something else --------------------------------------------------------------

/** Recorders of dictation lay their own head over this one: zeros, and a mark where the data would be. */
const DICTATED_HEAD = 512;
const DICTATED_AT = 256;
const DICTATED = 0x84;

const isDictated = (feed: Feed): boolean =>
  feed.u8(DICTATED_AT) === DICTATED &&
  [...feed.bytes(44, DICTATED_AT - 44), ...feed.bytes(264, DICTATED_HEAD - 264)].every((byte) => byte === 0);

/** Where other codecs are sent as if they were samples, each piece begins so (IEC 61937); readers look for it so far. */
const WRAPPED = [Buffer.from('72f81f4e', 'hex')];
const LOOKED_THROUGH = 65_536;

function* checkUnwrapped(feed: Feed, size: number): Generator<void, void> {
  const looked = UNKNOWN_SIZES.includes(size) ? LOOKED_THROUGH : Math.min(size, LOOKED_THROUGH);
  yield* feed.need(looked);
  if (feed.holds(WRAPPED, looked)) throw new Untold();
}
