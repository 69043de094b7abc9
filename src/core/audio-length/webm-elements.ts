/** Elements of WebM and Matroska (RFC 9559): which there are, where each stands, and how its head is read. */
import { type Feed, Untold } from './feed.ts';

export const ID = {
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
  playedRate: 0x78b5,
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
export const FILE = 0;
export const FILLER = 0xec;
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
  ...within(ID.audio, [ID.rate, ID.playedRate, ID.channels, ID.bits]),
  // Neither are the place of a cluster, the size of the one before it, and its quiet tracks.
  ...within(ID.cluster, [ID.time, ID.group, ID.simpleBlock, 0xa7, 0xab, 0x5854]),
  ...within(ID.group, [ID.block, ID.blockDuration]),
]);
/** Nothing else is in these: what nobody knows some readers pass over, and others look on behind it. */
const CLOSED: ReadonlySet<number> = new Set([FILE, ID.segment, ID.cluster]);
const OPEN_ENDED: ReadonlySet<number> = new Set([ID.segment, ID.cluster]);
export const HOLDERS: ReadonlySet<number> = new Set(PLACES.values());

/** What says of all that follows. */
const HEADS: ReadonlySet<number> = new Set([ID.info, ID.track, ID.video, ID.audio]);

/** Readers take no longer id, and no longer number or size. */
const ID_MOST = 4;
export const NUMBER_MOST = 8;
export const HEAD_MOST = ID_MOST + NUMBER_MOST;
/** What is longer in heads FFmpeg does not read, nor what stands behind it. */
const TEXT_MOST = 2 ** 24;

/** One that is stepped into. */
export interface Holder {
  id: number;
  /** Infinite where it is not told. */
  end: number;
}

/** Null where the file ends within it. */
export function headAt(feed: Feed): { id: number; size: number; bytes: number } | null {
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
export function leave(feed: Feed, holders: Holder[], id: number): Holder {
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

export function isPlaced(id: number, around: Holder): boolean {
  const place = PLACES.get(id);
  if (place !== undefined) return place === around.id;
  return !CLOSED.has(around.id) || (ANYWHERE.has(id) && around.id !== FILE);
}

/** Only in what is open there may be more of it. */
export function fits(id: number, size: number, end: number, around: Holder): boolean {
  if (size === Number.POSITIVE_INFINITY) return OPEN_ENDED.has(id) && around.end === size;
  return end <= around.end && (size <= TEXT_MOST || HOLDERS.has(id) || !HEADS.has(around.id));
}

/** A number of up to eight bytes. */
export function unsigned(feed: Feed, at: number, length: number): number {
  let value = 0;
  for (let n = 0; n < length; n++) value = value * 256 + feed.u8(at + n);
  return value;
}

/** The same behind the mark of its length. */
export function marked(feed: Feed, at: number, length: number): number {
  const first = feed.u8(at) & (0xff >> length);
  return first * 2 ** (8 * (length - 1)) + unsigned(feed, at + 1, length - 1);
}
