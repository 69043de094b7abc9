/**
 * WebM and Matroska (RFC 9559): the time of the last block, packet by packet where the sound is Opus. Elements that hold
 * others are only stepped into, as streams leave their sizes open. What the head tells of the duration browsers leave out
 * when they record.
 */
import { type Feed, LEAST_BYTES_A_SECOND, REST, SLOWEST_BYTES_A_SECOND, type Walk } from './feed.ts';
import { opusSeconds } from './opus.ts';

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
  ID.cluster,
  ID.group,
]);

const VIDEO = 1;
const NANOSECONDS = 1e9;
/** Nanoseconds of a tick where the file tells none. */
const USUAL_SCALE = 1_000_000;
/** Nobody has more; each is kept until the end. */
const TRACKS_MOST = 256;
/** An id of four bytes and a size of eight. */
const HEAD_MOST = 12;
/** Enough of a block for its number, its time and the beginning of its first packet. */
const BLOCK_HEAD = 512;

interface Track {
  number: number;
  isVideo: boolean;
  isOpus: boolean;
  /** Seconds of its packets: as they tell, else the most that their bytes can last, as any time may be claimed. */
  packets: number;
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
    const shown = Math.min(size, BLOCK_HEAD);
    if (feed.has(shown) || (yield* feed.need(shown))) file.read(feed, id, size);
    feed.skip(size);
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
    return this.#tracks.push({ number: 0, isVideo: false, isOpus: false, packets: 0 }) <= TRACKS_MOST;
  }

  found(total: number) {
    const ticks = this.#scale / NANOSECONDS;
    const most = total / LEAST_BYTES_A_SECOND;
    const longest = total / SLOWEST_BYTES_A_SECOND;
    const packets = Math.max(
      0,
      ...this.#tracks.map((track) => (track.isOpus ? track.packets : Math.min(track.packets, longest))),
    );
    const walked = Math.max(packets, Math.min(this.#last * ticks, most));
    const told = Number.isFinite(this.#duration) ? Math.max(this.#duration * ticks, 0) : 0;
    return walked + told > 0 ? { walked, told, bytes: this.#soundBytes } : null;
  }

  read(feed: Feed, id: number, size: number): void {
    const track = this.#tracks.at(-1);
    switch (id) {
      case ID.scale:
        this.#scale = number(feed, size);
        return;
      case ID.duration:
        this.#duration = size === 8 ? feed.f64(0) : size === 4 ? feed.f32(0) : 0;
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
        if (track) track.isOpus = feed.word(0, Math.min(size, 16)).startsWith('A_OPUS');
        return;
      case ID.block:
      case ID.simpleBlock:
        this.#block(feed, size);
        return;
      default:
    }
  }

  #block(feed: Feed, size: number): void {
    const length = Math.clz32(feed.u8(0)) - 23;
    if (length > 8 || !feed.has(length + 4)) return;
    const number = marked(feed, 0, length);
    const relative = (feed.u16(length) << 16) >> 16;
    this.#last = Math.max(this.#last, this.#cluster + relative);
    const track = this.#tracks.find((each) => each.number === number);
    if (track?.isVideo) return;
    this.#soundBytes += Math.min(size, REST);
    if (!track) return;
    track.packets += track.isOpus ? packetsSeconds(feed, length + 2) : size / SLOWEST_BYTES_A_SECOND;
  }
}

const number = (feed: Feed, size: number): number => unsigned(feed, 0, Math.min(size, 8));

/** Of a block's packets, which are alike: behind its flags, or behind their number and their sizes. */
function packetsSeconds(feed: Feed, flagsAt: number): number {
  const lacing = (feed.u8(flagsAt) >> 1) & 3;
  let at = flagsAt + 1;
  if (lacing === 0) return opusSeconds(feed.u8(at), feed.u8(at + 1));
  const packets = feed.u8(at++) + 1;
  // Xiph's sizes end with a byte below 255, EBML's say their length; of equal ones there are none.
  for (let n = 1; n < packets && lacing !== 2; n++) {
    if (lacing === 1) while (feed.u8(at++) === 255);
    else at += Math.max(Math.clz32(feed.u8(at)) - 23, 1);
  }
  return packets * opusSeconds(feed.u8(at), feed.u8(at + 1));
}
