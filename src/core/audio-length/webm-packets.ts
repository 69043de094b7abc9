/** How long the packets of a block of WebM and Matroska last, by how a block keeps them and by what their codecs make of them. */
import type { MeasuringBudget } from '../measuring-budget.ts';
import { ac3In } from './ac3.ts';
import { type Feed, Untold } from './feed.ts';
import { framesIn, headOf } from './flac.ts';
import { secondsOfFrame } from './frames.ts';
import { aacConfigured, mpegSeconds } from './mpeg.ts';
import { opusSeconds } from './opus.ts';
import { vorbisOf } from './vorbis.ts';
import { marked } from './webm-elements.ts';

/** What a track tells of its packets. */
export interface Packed {
  codec: string;
  private: Buffer;
  rate: number;
  /** As which they are to be played; 0 where it is not told. */
  playedRate: number;
  channels: number;
  bits: number;
  /** What was done to them before they were written: the number of each, null where none is told. */
  encodings: (number | null)[];
}

/** Enough of a block for its number, its time and the beginning of its first packet. */
export const BLOCK_HEAD = 512;

/** Seconds of a block's packets, and bytes of those that do not tell. */
interface Counted {
  counted: number;
  uncounted: number;
}

/** Counts a block of so many bytes, of which the flags stand there. */
export type Counter = (feed: Feed, flagsAt: number, size: number) => Generator<void, Counted>;

/** How the packets of a codec are counted. Decoders go by them, and by nothing that the file says of their times. */
export function counterOf(track: Packed, budget: MeasuringBudget): Counter {
  const { codec, private: head, encodings } = track;
  // What was packed once more is not what its decoder gets.
  if (encodings.length > 0) return each(() => null);
  if (codec.startsWith('A_OPUS')) return each((feed, at) => opusSeconds(feed.u8(at), feed.u8(at + 1)));
  const vorbis = codec.startsWith('A_VORBIS') ? vorbisOf(head, budget) : null;
  if (vorbis) return each((feed, at) => vorbis.samples(feed.u8(at)) / vorbis.rate);
  const aac = codec.startsWith('A_AAC') && head.length > 0 ? aacConfigured(head) : null;
  if (aac) return each((_, __, bytes) => secondsOfFrame(aac, bytes));
  if (codec.startsWith('A_MPEG/L')) return each((feed, at, bytes) => mpegSeconds(feed, at, bytes) || null);
  if (codec.startsWith('A_FLAC')) {
    const rate = (head.toString('latin1', 0, 4) === 'fLaC' ? headOf(head.subarray(4))?.rate : 0) ?? 0;
    return framed((feed, end) => framesIn(feed, rate, end));
  }
  if (codec.startsWith('A_AC3') || codec.startsWith('A_EAC3')) return framed(ac3In);
  if (codec.startsWith('A_TTA')) return each(() => TTA_SECONDS);
  if (codec.startsWith('A_WAVPACK')) return each((feed, at) => wavpackSeconds(feed, at));
  const alac =
    codec.startsWith('A_ALAC') && head.length >= 24 ? head.readUInt32BE(0) / head.readUInt32BE(20) : 0;
  if (alac > 0 && Number.isFinite(alac)) return each(() => alac);
  if (NEVER_SLOW.test(codec)) return each(() => null);
  const plain = plainBytes(track);
  return each((_, __, bytes) => bytes / plain);
}

/** What is no sound, and codecs of sound that never last longer than their bytes can as a rule. */
const NEVER_SLOW = /^(?!A_)|^A_(DTS|TRUEHD|MLP)/;

/** Bits that samples may have which are kept as they are. */
const PLAIN_BITS: ReadonlyMap<string, readonly number[]> = new Map([
  ['A_PCM/INT/LIT', [8, 16, 24, 32]],
  ['A_PCM/INT/BIG', [8, 16, 24, 32]],
  ['A_PCM/FLOAT/IEEE', [32, 64]],
]);
const CHANNELS_MOST = 64;
/** More nobody sends. */
const RATE_MOST = 768_000;

/** Bytes a second of what is told as all tell it: of others readers take what they like, or are other codecs. */
function plainBytes({ codec, rate, playedRate, channels, bits }: Packed): number {
  const isKnown = PLAIN_BITS.get(codec)?.includes(bits) && channels > 0 && channels <= CHANNELS_MOST;
  const hasRate = rate >= 1 && rate <= RATE_MOST && [0, rate].includes(playedRate);
  if (!isKnown || !hasRate) throw new Untold();
  return (Math.floor(rate) * channels * bits) / 8;
}

/** A packet is a frame of this length at every rate (the format's page at tausoft.org). */
const TTA_SECONDS = 256 / 245;

/** Rates of WavPack by their number (its format's page, 2.1); behind them the packets tell their own. */
const WAVPACK_RATES: readonly number[] = [
  6000, 8000, 9600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
  192_000,
];

/** Matroska keeps of a block's head the number of its samples, its flags and its check sum. */
function wavpackSeconds(feed: Feed, at: number): number {
  const rate = WAVPACK_RATES[(feed.u32le(at + 4) >>> 23) & 15];
  if (rate === undefined) throw new Untold();
  return feed.u32le(at) / rate;
}

/** By frames that are found in the whole of a block, whatever it says of its packets. */
function framed(secondsIn: (feed: Feed, end: number) => Generator<void, number>): Counter {
  return function* (feed, flagsAt, size) {
    const end = feed.position + size;
    feed.skip(flagsAt + 1);
    return { counted: yield* secondsIn(feed, end), uncounted: 0 };
  };
}

/** What of a packet is read, and how much of a block is passed over at once. */
const PACKET_HEAD = 8;

/** By what each of a block's packets lasts, as its beginning tells. */
function each(secondsOf: (feed: Feed, at: number, bytes: number) => number | null): Counter {
  return function* (feed, flagsAt, size) {
    const found: Counted = { counted: 0, uncounted: 0 };
    const packets = packetsAt(feed, flagsAt, size);
    if (!packets) return { ...found, uncounted: size };
    let at = packets.at;
    for (const bytes of packets.sizes) {
      if (at >= BLOCK_HEAD) {
        feed.skip(at);
        at = 0;
      }
      const shown = Math.min(bytes, PACKET_HEAD);
      if (bytes > 0 && !feed.has(at + shown) && !(yield* feed.need(at + shown))) break;
      const seconds = bytes === 0 ? 0 : secondsOf(feed, at, bytes);
      if (seconds === null) found.uncounted += bytes;
      else found.counted += seconds;
      at += bytes;
    }
    return found;
  };
}

/** How a block keeps several packets, by its flags; 0 where it is one. */
export const lacingOf = (flags: number): number => (flags >> 1) & 3;

/**
 * Where the first of a block's packets begins, and the bytes of each: behind its flags, or behind their number and sizes.
 * Null where these are not read, as they are longer than anybody's.
 */
function packetsAt(feed: Feed, flagsAt: number, size: number): { at: number; sizes: number[] } | null {
  const lacing = lacingOf(feed.u8(flagsAt));
  let at = flagsAt + 1;
  if (lacing === 0) return { at, sizes: [size - at] };
  const packets = feed.u8(at++) + 1;
  // The first is paid for by its block.
  feed.step(packets - 1);
  const end = Math.min(size, BLOCK_HEAD);
  const sizes: number[] = [];
  let sum = 0;
  // Xiph's sizes end with a byte below 255, EBML's say their length and are differences but for the first; of equal ones there are none.
  for (let n = 1; n < packets && lacing !== 2; n++) {
    let bytes = 0;
    if (lacing === 1) {
      let more = 255;
      while (more === 255 && at < end) {
        more = feed.u8(at++);
        bytes += more;
      }
    } else {
      const length = Math.clz32(feed.u8(at)) - 23;
      if (length > 8 || at + length > end) return null;
      const told = marked(feed, at, length);
      bytes = n === 1 ? told : (sizes.at(-1) ?? 0) + told - (2 ** (7 * length - 1) - 1);
      at += length;
    }
    if (bytes < 0 || at >= end) return null;
    sizes.push(bytes);
    sum += bytes;
  }
  const left = size - at - sum;
  if (lacing === 2) return { at, sizes: Array.from({ length: packets }, () => Math.floor(left / packets)) };
  return left < 0 ? null : { at, sizes: [...sizes, left] };
}
