/**
 * WebM and Matroska (RFC 9559): packet by packet where the codec tells how long each is, and the time of the last block. Elements that hold
 * others are only stepped into, as streams leave their sizes open. What the head tells of the duration browsers leave out
 * when they record.
 */
import { type Feed, LEAST_BYTES_A_SECOND, REST, SLOWEST_BYTES_A_SECOND, type Walk } from './feed.ts';
import { framesIn, headOf } from './flac.ts';
import { aacSeconds, mpegSeconds } from './mpeg.ts';
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
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  bits: 0x6264,
  cluster: 0x1f43b675,
  time: 0xe7,
  group: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
const HOLDERS: ReadonlySet<number> = new Set([
  ID.segment,
  ID.info,
  ID.tracks,
  ID.track,
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
/** An id of four bytes and a size of eight. */
const HEAD_MOST = 12;
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
  /** How its packets are counted; made when the first one comes. */
  counter?: Counter;
  /** Seconds of the packets that tell. */
  counted: number;
  /** Of the others the most that their bytes can last, as any time may be claimed. */
  uncounted: number;
}

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
    if (id === ID.track && !file.addTrack()) return null;
    if (HOLDERS.has(id)) continue;
    const shown = Math.min(size, id === ID.private ? PRIVATE_MOST : BLOCK_HEAD);
    const end = feed.position + size;
    if (feed.has(shown) || (yield* feed.need(shown))) yield* file.read(feed, id, size);
    feed.skip(end - feed.position);
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
  #scale = USUAL_SCALE;
  #duration = 0;
  #cluster = 0;
  /** Ticks. */
  #last = 0;
  #soundBytes = 0;

  /** False when there are too many. */
  addTrack(): boolean {
    const empty = { number: 0, isVideo: false, codec: '', private: NONE, rate: 8000, channels: 1, bits: 0 };
    return this.#tracks.push({ ...empty, counted: 0, uncounted: 0 }) <= TRACKS_MOST;
  }

  found(total: number) {
    const ticks = this.#scale / NANOSECONDS;
    const most = total / LEAST_BYTES_A_SECOND;
    const longest = total / SLOWEST_BYTES_A_SECOND;
    const packets = Math.max(
      0,
      ...this.#tracks.map(({ counted, uncounted }) => counted + Math.min(uncounted, longest)),
    );
    const walked = Math.max(packets, Math.min(this.#last * ticks, most));
    const told = Number.isFinite(this.#duration) ? Math.max(this.#duration * ticks, 0) : 0;
    return walked + told > 0 ? { walked, told, bytes: this.#soundBytes } : null;
  }

  *read(feed: Feed, id: number, size: number): Generator<void, void> {
    const track = this.#tracks.at(-1);
    switch (id) {
      case ID.scale:
        this.#scale = number(feed, size);
        return;
      case ID.duration:
        this.#duration = float(feed, size);
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
      case ID.codec:
        if (track) track.codec = feed.word(0, Math.min(size, 16));
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

  *#block(feed: Feed, size: number): Generator<void, void> {
    const length = Math.clz32(feed.u8(0)) - 23;
    if (length > 8 || !feed.has(length + 4)) return;
    const number = marked(feed, 0, length);
    const relative = (feed.u16(length) << 16) >> 16;
    this.#last = Math.max(this.#last, this.#cluster + relative);
    const track = this.#tracks.find((each) => each.number === number);
    if (track?.isVideo) return;
    this.#soundBytes += Math.min(size, REST);
    if (!track) return;
    track.counter ??= counterOf(track);
    const seconds = yield* track.counter(feed, length + 2, size);
    if (seconds === null) track.uncounted += size / SLOWEST_BYTES_A_SECOND;
    else track.counted += seconds;
  }
}

const float = (feed: Feed, size: number): number => (size === 8 ? feed.f64(0) : size === 4 ? feed.f32(0) : 0);

const number = (feed: Feed, size: number): number => unsigned(feed, 0, Math.min(size, 8));

/** Seconds of a block of so many bytes, of which the flags stand there; null where its packets do not tell. */
type Counter = (feed: Feed, flagsAt: number, size: number) => Generator<void, number | null>;

/** How the packets of a codec are counted. Decoders go by them, and by nothing that the file says of their times. */
function counterOf({ codec, private: head, rate: told, channels, bits }: Track): Counter {
  if (codec.startsWith('A_OPUS')) return each((feed, at) => opusSeconds(feed.u8(at), feed.u8(at + 1)));
  const vorbis = codec.startsWith('A_VORBIS') ? vorbisOf(head) : null;
  if (vorbis) {
    return each((feed, at, _, packets) =>
      packets > 1 ? vorbis.longest : vorbis.samples(feed.u8(at)) / vorbis.rate,
    );
  }
  const aac = codec.startsWith('A_AAC') ? aacSeconds(head) : 0;
  if (aac > 0 && head.length > 0) return each(() => aac);
  if (codec.startsWith('A_MPEG/L')) {
    return each((feed, at, bytes, packets) => (packets > 1 ? 0 : mpegSeconds(feed, at, bytes)) || null);
  }
  if (codec.startsWith('A_FLAC')) {
    const rate = (head.toString('latin1', 0, 4) === 'fLaC' ? headOf(head.subarray(4))?.rate : 0) ?? 0;
    return function* (feed, flagsAt, size) {
      const end = feed.position + size;
      feed.skip(flagsAt + 1);
      return yield* framesIn(feed, rate, end);
    };
  }
  const plain = codec.startsWith('A_PCM') ? (told * channels * bits) / 8 : 0;
  return plain > 0 ? each((_, __, bytes, packets) => bytes / packets / plain) : each(() => null);
}

/** By what each of a block's packets lasts, as the first of them tells. */
function each(secondsOf: (feed: Feed, at: number, bytes: number, packets: number) => number | null): Counter {
  // biome-ignore lint/correctness/useYield: others wait for more of their block
  return function* (feed, flagsAt, size) {
    const { at, packets } = packetsAt(feed, flagsAt);
    const seconds = secondsOf(feed, at, size - at, packets);
    return seconds === null ? null : packets * seconds;
  };
}

/** Where the first of a block's packets begins, and how many there are: behind its flags, or behind their number and sizes. */
function packetsAt(feed: Feed, flagsAt: number): { at: number; packets: number } {
  const lacing = (feed.u8(flagsAt) >> 1) & 3;
  let at = flagsAt + 1;
  if (lacing === 0) return { at, packets: 1 };
  const packets = feed.u8(at++) + 1;
  // Xiph's sizes end with a byte below 255, EBML's say their length; of equal ones there are none.
  for (let n = 1; n < packets && lacing !== 2; n++) {
    if (lacing === 1) while (feed.u8(at++) === 255);
    else at += Math.max(Math.clz32(feed.u8(at)) - 23, 1);
  }
  return { at, packets };
}
