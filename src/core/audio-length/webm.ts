/**
 * WebM and Matroska (RFC 9559): packet by packet where the codec tells how long each is, and the time of the last block. Elements that hold
 * others are only stepped into, as streams leave their sizes open. What the head tells of the duration browsers leave out
 * when they record.
 */

import { ac3In } from './ac3.ts';
import { type Feed, LEAST_BYTES_A_SECOND, REST, SLOWEST_BYTES_A_SECOND, type Walk } from './feed.ts';
import { framesIn, headOf } from './flac.ts';
import { secondsOfFrame } from './frames.ts';
import { aacConfigured, mpegSeconds } from './mpeg.ts';
import { opusSeconds } from './opus.ts';
import { vorbisOf } from './vorbis.ts';

const ID = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  number: 0xd7,
  kind: 0x83,
  codec: 0x86,
  private: 0x63a2,
  encodings: 0x6d80,
  encoding: 0x6240,
  compression: 0x5034,
  algorithm: 0x4254,
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  bits: 0x6264,
  cluster: 0x1f43b675,
  time: 0xe7,
  trackScale: 0x23314f,
  packetDuration: 0x23e383,
  group: 0xa0,
  blockDuration: 0x9b,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
const HOLDERS: ReadonlySet<number> = new Set([
  ID.segment,
  ID.info,
  ID.tracks,
  ID.encodings,
  ID.encoding,
  ID.compression,
  ID.audio,
  ID.cluster,
  ID.group,
]);

const NONE = Buffer.alloc(0);
const VIDEO = 1;
const NANOSECONDS = 1e9;
/** Nanoseconds of a tick where the file tells none. */
const USUAL_SCALE = 1_000_000;
/** Nobody has more; each is kept until the end. */
const TRACKS_MOST = 256;
/** More than one is seldom seen. */
const ENCODINGS_MOST = 16;
/** An id of four bytes and a size of eight. */
const HEAD_MOST = 12;
/** What a codec keeps with its track: books of Vorbis are the longest. */
const PRIVATE_MOST = 65_536;
/** Enough of a block for its number, its time and the beginning of its first packet. */
const BLOCK_HEAD = 512;

interface Track {
  /** Where in the file it ends. */
  end: number;
  number: number;
  isVideo: boolean;
  codec: string;
  private: Buffer;
  rate: number;
  channels: number;
  bits: number;
  /** What was done to its packets before they were written: the number of each, null where none is told. */
  encodings: (number | null)[];
  /** Nanoseconds for which each of its packets is shown: the most that is told, and what readers go by. */
  packetDuration: number;
  followed: number;
  /** Where readers follow none its codec may tell another. */
  hasOwnRate: boolean;
  /** How its packets are counted; made when the first one comes. */
  counter?: Counter;
  /** Seconds of the packets that tell. */
  counted: number;
  /** Bytes of the others, which last as long as they can, as any time may be claimed. */
  uncounted: number;
}

/** Of the blocks of a number: ticks of the last, the most from one to the next, and packets of one at the most. */
interface Blocks {
  last: number;
  gap: number;
  packets: number;
}

/** Codecs of pictures, but for those that tell no rate of their own. */
const TELLS_RATE = /^V_(?!VP[89])/;

/** Each frame begins with the same bytes, which were left out. */
const HEADS_STRIPPED = 3;

/** How slow packets are that do not tell: of those that were packed once more nobody knows. */
const slowestOf = ({ encodings }: Track): number =>
  encodings.every((algorithm) => algorithm === HEADS_STRIPPED)
    ? SLOWEST_BYTES_A_SECOND
    : LEAST_BYTES_A_SECOND;

export const isWebm = (feed: Feed): boolean => feed.u32(0) === ID.ebml;

export function* walkWebm(feed: Feed): Walk {
  const file = new Webm();
  while (feed.has(HEAD_MOST) || (yield* feed.need(HEAD_MOST)) || feed.has(2)) {
    const idLength = Math.clz32(feed.u8(0)) - 23;
    if (idLength > 4 || !feed.has(idLength + 1)) {
      feed.skip(REST);
      continue;
    }
    const id = unsigned(feed, 0, idLength);
    const sizeLength = Math.clz32(feed.u8(idLength)) - 23;
    if (sizeLength > 8 || !feed.has(idLength + sizeLength)) {
      feed.skip(REST);
      continue;
    }
    const told = marked(feed, idLength, sizeLength);
    // All ones: not known.
    const size = told >= 2 ** (7 * sizeLength) - 1 ? REST : told;
    feed.skip(idLength + sizeLength);
    const end = feed.position + size;
    if (id === ID.track) {
      if (!file.addTrack(end)) return null;
      continue;
    }
    if (id === ID.encoding) file.addEncoding();
    if (HOLDERS.has(id)) {
      file.enter(end);
      continue;
    }
    const shown = Math.min(size, id === ID.private ? PRIVATE_MOST : BLOCK_HEAD);
    if (feed.has(shown) || (yield* feed.need(shown))) yield* file.read(feed, id, size);
    feed.skip(Math.max(end - feed.position, 0));
  }
  return file.found(feed.total);
}

/** A number of up to eight bytes. */
function unsigned(feed: Feed, at: number, length: number): number {
  let value = 0;
  for (let n = 0; n < length; n++) value = value * 256 + feed.u8(at + n);
  return value;
}

/** The same behind the mark of its length. */
function marked(feed: Feed, at: number, length: number): number {
  const first = feed.u8(at) & (0xff >> length);
  return first * 2 ** (8 * (length - 1)) + unsigned(feed, at + 1, length - 1);
}

class Webm {
  readonly #tracks: Track[] = [];
  /** The slowest that is told; 0 where none is. */
  #scale = 0;
  #duration = 0;
  #cluster = 0;
  /** Ticks. */
  #last = 0;
  /** How long the longest block is shown, and by how much a track's times are drawn out. */
  #longest = 0;
  #stretch = 1;
  /** By their number, whatever track has it. */
  readonly #blocks = new Map<number, Blocks>();
  #pictureBytes = 0;
  /** Where all holders end that were entered since the last track began. */
  #holderEnd = 0;

  /** False when there are too many. */
  addTrack(end: number): boolean {
    const empty = { number: 0, isVideo: false, codec: '', private: NONE, rate: 8000, channels: 1, bits: 0 };
    const counts = { packetDuration: 0, followed: 0, hasOwnRate: false, counted: 0, uncounted: 0 };
    this.#holderEnd = 0;
    return this.#tracks.push({ end, ...empty, encodings: [], ...counts }) <= TRACKS_MOST;
  }

  enter(end: number): void {
    this.#holderEnd = Math.max(this.#holderEnd, end);
  }

  addEncoding(): void {
    const encodings = this.#tracks.at(-1)?.encodings;
    if (encodings && encodings.length < ENCODINGS_MOST) encodings.push(null);
  }

  /** Without a number it is the first; of two it is neither. */
  #setAlgorithm(track: Track | undefined, algorithm: number): void {
    if (track && track.encodings.length > 0) {
      const told = track.encodings.pop() ?? algorithm;
      track.encodings.push(told === algorithm ? algorithm : 0);
    }
  }

  found(total: number) {
    const scale = this.#scale || USUAL_SCALE;
    const ticks = scale / NANOSECONDS;
    const most = total / LEAST_BYTES_A_SECOND;
    const packets = Math.max(
      0,
      ...this.#tracks.map((track) => track.counted + Math.min(track.uncounted, total) / slowestOf(track)),
    );
    const walked = Math.max(packets, Math.min(this.#last * ticks, most));
    const told = this.#duration * ticks;
    if (walked + told === 0) return null;
    const shown = Math.max(told, (this.#last * ticks + this.#lastSeconds(scale)) * this.#stretch);
    return { walked, told, bytes: Math.max(total - this.#pictureBytes, 0), shown };
  }

  /**
   * For how long the last block is shown: by what is told of one, or of its packets. Where that is not told, readers show
   * them as long as those before, or by the codec's own rate, which is not looked for.
   */
  #lastSeconds(scale: number): number {
    if (this.#tracks.some(({ hasOwnRate, followed }) => hasOwnRate && followed < scale))
      return Number.POSITIVE_INFINITY;
    const ticks = scale / NANOSECONDS;
    const blocks = [...this.#blocks.values()];
    const packets = Math.max(0, ...blocks.map((each) => each.packets));
    return Math.max(
      this.#longest * ticks,
      ...blocks.map((each) => each.gap * each.packets * ticks),
      ...this.#tracks.map(({ packetDuration }) => (packetDuration / NANOSECONDS) * packets),
    );
  }

  *read(feed: Feed, id: number, size: number): Generator<void, void> {
    const track = this.#tracks.at(-1);
    switch (id) {
      case ID.scale:
        this.#scale = Math.max(this.#scale, number(feed, size));
        return;
      case ID.duration:
        this.#duration = Math.max(this.#duration, float(feed, size));
        return;
      case ID.trackScale:
        this.#stretch = Math.max(this.#stretch, float(feed, size));
        return;
      case ID.packetDuration:
        if (track) this.#setPacketDuration(track, feed, size);
        return;
      case ID.blockDuration:
        this.#longest = Math.max(this.#longest, number(feed, size));
        return;
      case ID.rate:
        if (track) track.rate = float(feed, size);
        return;
      case ID.channels:
        if (track) track.channels = number(feed, size);
        return;
      case ID.bits:
        if (track) track.bits = number(feed, size);
        return;
      case ID.time:
        this.#cluster = number(feed, size);
        return;
      case ID.number:
        if (track) track.number = number(feed, size);
        return;
      case ID.kind:
        if (track) track.isVideo = number(feed, size) === VIDEO;
        return;
      case ID.algorithm:
        this.#setAlgorithm(track, number(feed, size));
        return;
      case ID.codec:
        if (track) {
          track.codec = feed.word(0, Math.min(size, 16));
          track.hasOwnRate ||= TELLS_RATE.test(track.codec);
        }
        return;
      case ID.private:
        if (track) track.private = feed.bytes(0, Math.min(size, PRIVATE_MOST));
        return;
      case ID.block:
      case ID.simpleBlock:
        yield* this.#block(feed, size);
        return;
      default:
    }
  }

  /** What stands behind the track, or in something else within it, nobody follows. */
  #setPacketDuration(track: Track, feed: Feed, size: number): void {
    const told = number(feed, size);
    track.packetDuration = Math.max(track.packetDuration, told);
    if (feed.position <= this.#holderEnd || feed.position > track.end) return;
    track.followed = size > NUMBER_MOST ? 0 : told;
  }

  #addBlock(number: number, time: number, packets: number): void {
    this.#last = Math.max(this.#last, time);
    const blocks = this.#blocks.get(number) ?? { last: time, gap: 0, packets: 0 };
    // So many tracks nobody has.
    if (this.#blocks.size > TRACKS_MOST) this.#longest = Number.POSITIVE_INFINITY;
    else this.#blocks.set(number, blocks);
    blocks.gap = Math.max(blocks.gap, time - blocks.last);
    blocks.last = Math.max(blocks.last, time);
    blocks.packets = Math.max(blocks.packets, packets);
  }

  *#block(feed: Feed, size: number): Generator<void, void> {
    const length = Math.clz32(feed.u8(0)) - 23;
    if (length > 8 || !feed.has(length + 4)) return;
    const number = marked(feed, 0, length);
    const relative = (feed.u16(length) << 16) >> 16;
    const packets = lacingOf(feed.u8(length + 2)) === 0 ? 1 : feed.u8(length + 3) + 1;
    this.#addBlock(number, this.#cluster + relative, packets);
    const track = this.#tracks.find((each) => each.number === number);
    if (track?.isVideo) this.#pictureBytes += Math.min(size, REST);
    if (!track || track.isVideo) return;
    track.counter ??= counterOf(track);
    const { counted, uncounted } = yield* track.counter(feed, length + 2, size);
    track.counted += counted;
    track.uncounted += uncounted;
  }
}

function float(feed: Feed, size: number): number {
  const value = size === 8 ? feed.f64(0) : size === 4 ? feed.f32(0) : 0;
  return Number.isFinite(value) ? value : 0;
}

/** Readers take no longer one for a number. */
const NUMBER_MOST = 8;
const number = (feed: Feed, size: number): number => unsigned(feed, 0, Math.min(size, NUMBER_MOST));

/** Seconds of a block's packets, and bytes of those that do not tell. */
interface Counted {
  counted: number;
  uncounted: number;
}

/** Counts a block of so many bytes, of which the flags stand there. */
type Counter = (feed: Feed, flagsAt: number, size: number) => Generator<void, Counted>;

/** How the packets of a codec are counted. Decoders go by them, and by nothing that the file says of their times. */
function counterOf(track: Track): Counter {
  const { codec, private: head, rate: told, channels, bits, encodings } = track;
  // What was packed once more is not what its decoder gets.
  if (encodings.length > 0) return each(() => null);
  if (codec.startsWith('A_OPUS')) return each((feed, at) => opusSeconds(feed.u8(at), feed.u8(at + 1)));
  const vorbis = codec.startsWith('A_VORBIS') ? vorbisOf(head) : null;
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
  if (codec.startsWith('A_WAVPACK')) return each((feed, at) => wavpackSeconds(feed, at, told));
  const alac =
    codec.startsWith('A_ALAC') && head.length >= 24 ? head.readUInt32BE(0) / head.readUInt32BE(20) : 0;
  if (alac > 0 && Number.isFinite(alac)) return each(() => alac);
  const plain = codec.startsWith('A_PCM') ? (told * channels * bits) / 8 : 0;
  return plain > 0 ? each((_, __, bytes) => bytes / plain) : each(() => null);
}

/** A packet is a frame of this length at every rate (the format's page at tausoft.org). */
const TTA_SECONDS = 256 / 245;

/** Rates of WavPack by their number (its format's page, 2.1); behind them the track tells its own. */
const WAVPACK_RATES: readonly number[] = [
  6000, 8000, 9600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
  192_000,
];

/** Matroska keeps of a block's head the number of its samples, its flags and its check sum. */
function wavpackSeconds(feed: Feed, at: number, told: number): number | null {
  const rate = WAVPACK_RATES[(feed.u32le(at + 4) >>> 23) & 15] ?? told;
  return rate > 0 ? feed.u32le(at) / rate : null;
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
const lacingOf = (flags: number): number => (flags >> 1) & 3;

/**
 * Where the first of a block's packets begins, and the bytes of each: behind its flags, or behind their number and sizes.
 * Null where these are not read, as they are longer than anybody's.
 */
function packetsAt(feed: Feed, flagsAt: number, size: number): { at: number; sizes: number[] } | null {
  const lacing = lacingOf(feed.u8(flagsAt));
  let at = flagsAt + 1;
  if (lacing === 0) return { at, sizes: [size - at] };
  const packets = feed.u8(at++) + 1;
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
