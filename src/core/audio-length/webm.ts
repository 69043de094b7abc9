/**
 * WebM and Matroska (RFC 9559): packet by packet where the codec tells how long each is, and the time of the last block.
 * What the head tells of the duration browsers leave out when they record.
 *
 * Where a file is not written as every reader reads it alike, it does not tell, and is never taken for shorter. Readers
 * that come upon what cannot be there look on for the next cluster, wherever it is; others give up. So each element
 * stands in its place and fits into it, or nothing is told. Only the whole and its clusters may leave their sizes open, as
 * what is recorded does, and the file may end in the midst of its last element.
 */

import { ac3In } from './ac3.ts';
import { type Feed, LEAST_BYTES_A_SECOND, SLOWEST_BYTES_A_SECOND, Untold, type Walk } from './feed.ts';
import { framesIn, headOf } from './flac.ts';
import { secondsOfFrame } from './frames.ts';
import { aacConfigured, mpegSeconds } from './mpeg.ts';
import { opusSeconds } from './opus.ts';
import { vorbisOf } from './vorbis.ts';

const ID = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
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
  video: 0xe0,
  frameRate: 0x2383e3,
  trackScale: 0x23314f,
  packetDuration: 0x23e383,
  group: 0xa0,
  blockDuration: 0x9b,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
/** What holds the segments, and what may stand anywhere: fillers and sums. */
const FILE = 0;
const FILLER = 0xec;
const ANYWHERE: ReadonlySet<number> = new Set([FILLER, 0xbf]);

const within = (holder: number, ids: readonly number[]) => ids.map((id): [number, number] => [id, holder]);
/** Where the elements stand that are read, or that hold such: each has one place. */
const PLACES: ReadonlyMap<number, number> = new Map([
  ...within(FILE, [ID.ebml, ID.segment]),
  // Lists of times, chapters, tags and files are not read.
  ...within(ID.segment, [ID.seekHead, ID.info, ID.tracks, ID.cluster]),
  ...within(ID.segment, [0x1c53bb6b, 0x1043a770, 0x1254c367, 0x1941a469]),
  ...within(ID.seekHead, [ID.seek]),
  ...within(ID.seek, [ID.seekId]),
  ...within(ID.info, [ID.scale, ID.duration]),
  ...within(ID.tracks, [ID.track]),
  ...within(ID.track, [ID.number, ID.kind, ID.codec, ID.private, ID.encodings, ID.audio]),
  ...within(ID.track, [ID.trackScale, ID.packetDuration, ID.video]),
  ...within(ID.video, [ID.frameRate]),
  ...within(ID.encodings, [ID.encoding]),
  ...within(ID.encoding, [ID.compression]),
  ...within(ID.compression, [ID.algorithm]),
  ...within(ID.audio, [ID.rate, ID.channels, ID.bits]),
  // Neither are the place of a cluster, the size of the one before it, and its quiet tracks.
  ...within(ID.cluster, [ID.time, ID.group, ID.simpleBlock, 0xa7, 0xab, 0x5854]),
  ...within(ID.group, [ID.block, ID.blockDuration]),
]);
/** Nothing else is in these: what nobody knows some readers pass over, and others look on behind it. */
const CLOSED: ReadonlySet<number> = new Set([FILE, ID.segment, ID.cluster]);
const OPEN_ENDED: ReadonlySet<number> = new Set([ID.segment, ID.cluster]);
const HOLDERS: ReadonlySet<number> = new Set(PLACES.values());

const HEADS: ReadonlySet<number> = new Set([ID.info, ID.track, ID.video, ID.audio]);

/** What readers look for behind what they cannot read. */
const LOOKED_FOR = ['1f43b675', '1549a966', '1654ae6b'].map((id) => Buffer.from(id, 'hex'));

const NONE = Buffer.alloc(0);
const VIDEO = 1;
const NANOSECONDS = 1e9;
/** Nanoseconds of a tick where the file tells none. */
const USUAL_SCALE = 1_000_000;
/** Nobody has more; each is kept until the end. */
const TRACKS_MOST = 256;
/** More than one is seldom seen. */
const ENCODINGS_MOST = 16;
/** Readers take no longer id, and no longer number or size. */
const ID_MOST = 4;
const NUMBER_MOST = 8;
const HEAD_MOST = ID_MOST + NUMBER_MOST;
/** Of an element, so that it is looked through before it is read. */
const KEPT_MOST = 131_072;
/** What is longer in heads FFmpeg does not read, nor what stands behind it. */
const TEXT_MOST = 2 ** 24;
/** What a codec keeps with its track: books of Vorbis are the longest. */
const PRIVATE_MOST = 65_536;
/** Enough of a block for its number, its time and the beginning of its first packet. */
const BLOCK_HEAD = 512;

interface Track {
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
  blocks: Blocks | null;
  /** How its packets are counted; made when the first one comes. */
  counter?: Counter;
  /** Seconds of the packets that tell. */
  counted: number;
  /** Bytes of the others, which last as long as they can, as any time may be claimed. */
  uncounted: number;
}

/** Of the blocks of a track: ticks of the last, the most from one to the next, and packets of one at the most. */
interface Blocks {
  last: number;
  gap: number;
  packets: number;
}

/** Codecs of pictures, but for those that tell no rate of their own. */
const TELLS_RATE = /^V_(?!VP[89])/;

/** Codecs whose packets are taken as they are. */
const TAKEN = /^(V_|A_(?!WAVPACK|REAL))/;

/** Each frame begins with the same bytes, which were left out. */
const HEADS_STRIPPED = 3;

/** How slow packets are that do not tell: of those that were packed once more nobody knows. */
const slowestOf = ({ encodings }: Track): number =>
  encodings.every((algorithm) => algorithm === HEADS_STRIPPED)
    ? SLOWEST_BYTES_A_SECOND
    : LEAST_BYTES_A_SECOND;

export const isWebm = (feed: Feed): boolean => feed.u32(0) === ID.ebml;

/** One that is stepped into. */
interface Holder {
  id: number;
  /** Infinite where it is not told. */
  end: number;
}

export function* walkWebm(feed: Feed): Walk {
  const file = new Webm();
  const holders: Holder[] = [{ id: FILE, end: Number.POSITIVE_INFINITY }];
  while (feed.has(HEAD_MOST) || (yield* feed.need(HEAD_MOST)) || feed.has(2)) {
    const head = headAt(feed);
    if (!head) break;
    const { id, size } = head;
    const around = leave(feed, holders, id);
    feed.skip(head.bytes);
    const end = feed.position + size;
    if (!isPlaced(id, around) || !fits(id, end, around)) throw new Untold();
    file.enter(id);
    if (HOLDERS.has(id)) holders.push({ id, end });
    else if (size > TEXT_MOST && HEADS.has(around.id)) throw new Untold();
    else if (!(yield* passOver(feed, file, id, size))) break;
  }
  return file.found(feed.total);
}

/** Null where the file ends within it. */
function headAt(feed: Feed): { id: number; size: number; bytes: number } | null {
  const idLength = Math.clz32(feed.u8(0)) - 23;
  if (idLength > ID_MOST) throw new Untold();
  if (!feed.has(idLength + 1)) return null;
  const sizeLength = Math.clz32(feed.u8(idLength)) - 23;
  if (sizeLength > NUMBER_MOST) throw new Untold();
  if (!feed.has(idLength + sizeLength)) return null;
  const told = marked(feed, idLength, sizeLength);
  // All ones: not known.
  const size = told >= 2 ** (7 * sizeLength) - 1 ? Number.POSITIVE_INFINITY : told;
  return { id: unsigned(feed, 0, idLength), size, bytes: idLength + sizeLength };
}

/** The innermost holder that has not ended: at its end, or, where that is open, at what stands further out. */
function leave(feed: Feed, holders: Holder[], id: number): Holder {
  for (;;) {
    const holder = holders.at(-1);
    if (!holder) throw new Untold();
    const isOver =
      holder.end === Number.POSITIVE_INFINITY
        ? holder.id !== FILE && PLACES.has(id) && !isPlaced(id, holder)
        : feed.position >= holder.end;
    if (!isOver) return holder;
    holders.pop();
  }
}

function isPlaced(id: number, around: Holder): boolean {
  const place = PLACES.get(id);
  if (place !== undefined) return place === around.id;
  return !CLOSED.has(around.id) || (ANYWHERE.has(id) && around.id !== FILE);
}

/** Only in what is open there may be more of it. */
const fits = (id: number, end: number, around: Holder): boolean =>
  end === Number.POSITIVE_INFINITY ? OPEN_ENDED.has(id) && around.end === end : end <= around.end;

/**
 * Reads what holds nothing; false where the file ends within it. What some reader may refuse is looked through: behind
 * its beginning that one would look on for a cluster.
 */
function* passOver(feed: Feed, file: Webm, id: number, size: number): Generator<void, boolean> {
  const isBlock = id === ID.block || id === ID.simpleBlock;
  const end = feed.position + size;
  const kept = Math.min(size, KEPT_MOST);
  const isKept = feed.has(kept) || (yield* feed.need(kept));
  const isTaken = isBlock ? file.takesBlock(feed, size) : id === FILLER || size <= NUMBER_MOST;
  if (!(isTaken && isKept) && feed.holds(LOOKED_FOR, kept)) throw new Untold();
  if (isBlock && !isTaken && size > KEPT_MOST) throw new Untold();
  const start = feed.position;
  if (feed.has(Math.min(size, id === ID.private ? PRIVATE_MOST : BLOCK_HEAD))) {
    if (isBlock) yield* file.readBlock(feed, size);
    else file.read(feed, id, size);
  }
  if (isTaken && end <= feed.total) {
    feed.goTo(end);
    return true;
  }
  const hasRead = feed.position > start;
  const { isThere, isHiding } = yield* feed.lookThrough(end, LOOKED_FOR);
  // What was read of a long block was not looked through.
  if ((isHiding && !(isTaken && isThere)) || (!isThere && hasRead && size > KEPT_MOST)) throw new Untold();
  return isThere;
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
  readonly #byNumber = new Map<number, Track>();
  /** The slowest that is told; 0 where none is. */
  #scale = 0;
  #duration = 0;
  #cluster = 0;
  /** Ticks. */
  #last = 0;
  /** How long the longest block is shown, and by how much a track's times are drawn out. */
  #longest = 0;
  #stretch = 1;
  #pictureBytes = 0;
  /** What the segment has that is being read, and whether its last cluster has a time. */
  readonly #seen = new Set<number>();
  #hasTime = false;

  /** What an element changes before it is read. */
  enter(id: number): void {
    switch (id) {
      case ID.segment:
        this.#seen.clear();
        return;
      case ID.info:
      case ID.tracks:
        // Of two the last counts, and behind the clusters the one that a list of places tells, wherever it is.
        if (this.#seen.has(id) || this.#seen.has(ID.cluster)) throw new Untold();
        this.#seen.add(id);
        return;
      case ID.cluster:
        if (!this.#seen.has(ID.info)) throw new Untold();
        this.#seen.add(id);
        this.#hasTime = false;
        return;
      case ID.track:
        this.#addTrack();
        return;
      case ID.encoding:
        this.#addEncoding();
        return;
      default:
    }
  }

  #addTrack(): void {
    const empty = { number: 0, isVideo: false, codec: '', private: NONE, rate: 8000, channels: 1, bits: 0 };
    const counts = { packetDuration: 0, followed: 0, hasOwnRate: false, counted: 0, uncounted: 0 };
    if (this.#tracks.push({ ...empty, encodings: [], ...counts, blocks: null }) > TRACKS_MOST)
      throw new Untold();
  }

  #addEncoding(): void {
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
    const blocks = this.#tracks.flatMap((track) => track.blocks ?? []);
    const packets = Math.max(0, ...blocks.map((each) => each.packets));
    return Math.max(
      this.#longest * ticks,
      ...blocks.map((each) => each.gap * each.packets * ticks),
      ...this.#tracks.map(({ packetDuration }) => (packetDuration / NANOSECONDS) * packets),
    );
  }

  read(feed: Feed, id: number, size: number): void {
    const track = this.#tracks.at(-1);
    switch (id) {
      case ID.scale:
        this.#scale = Math.max(this.#scale, number(feed, size) || USUAL_SCALE);
        return;
      case ID.duration:
        this.#duration = Math.max(this.#duration, float(feed, size));
        return;
      case ID.trackScale:
        this.#stretch = Math.max(this.#stretch, float(feed, size));
        return;
      case ID.packetDuration:
        if (track) {
          track.followed = number(feed, size);
          track.packetDuration = Math.max(track.packetDuration, track.followed);
        }
        return;
      case ID.frameRate:
        this.#setFrameRate(track, float(feed, size));
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
        // Some readers go by the first, and some by the last.
        if (this.#hasTime) throw new Untold();
        this.#hasTime = true;
        this.#cluster = number(feed, size);
        return;
      case ID.number:
        if (track) this.#setNumber(track, number(feed, size));
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
      default:
    }
  }

  #setFrameRate(track: Track | undefined, rate: number): void {
    if (track && rate > 0) track.packetDuration = Math.max(track.packetDuration, NANOSECONDS / rate);
  }

  #setNumber(track: Track, number: number): void {
    if (track.number !== 0 || this.#byNumber.has(number)) throw new Untold();
    track.number = number;
    this.#byNumber.set(number, track);
  }

  #addBlock(track: Track, time: number, packets: number): void {
    this.#last = Math.max(this.#last, time);
    track.blocks ??= { last: time, gap: 0, packets: 0 };
    const { blocks } = track;
    blocks.gap = Math.max(blocks.gap, time - blocks.last);
    blocks.last = Math.max(blocks.last, time);
    blocks.packets = Math.max(blocks.packets, packets);
  }

  /** Whether every reader takes a block as it is: one packet, which nothing is to be made of before it is decoded. */
  takesBlock(feed: Feed, size: number): boolean {
    const length = Math.clz32(feed.u8(0)) - 23;
    if (length > NUMBER_MOST || size < length + 3) throw new Untold();
    const track = feed.has(length) ? this.#byNumber.get(marked(feed, 0, length)) : undefined;
    return (
      track !== undefined &&
      lacingOf(feed.u8(length + 2)) === 0 &&
      TAKEN.test(track.codec) &&
      track.encodings.every((algorithm) => algorithm === HEADS_STRIPPED)
    );
  }

  *readBlock(feed: Feed, size: number): Generator<void, void> {
    const length = Math.clz32(feed.u8(0)) - 23;
    if (!feed.has(length + 4)) return;
    const track = this.#byNumber.get(marked(feed, 0, length));
    if (!track || !this.#hasTime) throw new Untold();
    const relative = (feed.u16(length) << 16) >> 16;
    const packets = lacingOf(feed.u8(length + 2)) === 0 ? 1 : feed.u8(length + 3) + 1;
    this.#addBlock(track, this.#cluster + relative, packets);
    if (track.isVideo) {
      this.#pictureBytes += size;
      return;
    }
    track.counter ??= counterOf(track);
    const { counted, uncounted } = yield* track.counter(feed, length + 2, size);
    track.counted += counted;
    track.uncounted += uncounted;
  }
}

function float(feed: Feed, size: number): number {
  if (size !== 0 && size !== 4 && size !== 8) throw new Untold();
  const value = size === 8 ? feed.f64(0) : size === 4 ? feed.f32(0) : 0;
  return Number.isFinite(value) ? value : 0;
}

function number(feed: Feed, size: number): number {
  if (size > NUMBER_MOST) throw new Untold();
  return unsigned(feed, 0, size);
}

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
