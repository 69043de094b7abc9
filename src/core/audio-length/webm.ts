/**
 * WebM and Matroska (RFC 9559): packet by packet where the codec tells how long each is, and the time of the last block.
 * What the head tells of the duration browsers leave out when they record.
 *
 * Where a file is not written as every reader reads it alike, it does not tell, and is never taken for shorter. Readers
 * that come upon what cannot be there look on for the next cluster, wherever it is; others give up. So each element
 * stands in its place and fits into it, or nothing is told. Only the whole and its clusters may leave their sizes open, as
 * what is recorded does, and the file may end in the midst of its last element.
 */
import {
  type Feed,
  FILM_BYTES_A_STEP,
  LEAST_BYTES_A_SECOND,
  SLOWEST_BYTES_A_SECOND,
  TRACKS_MOST,
  Untold,
  type Walk,
} from './feed.ts';
import {
  FILE,
  FILLER,
  fits,
  HEAD_MOST,
  HOLDERS,
  type Holder,
  headAt,
  ID,
  isPlaced,
  leave,
  marked,
  NUMBER_MOST,
  unsigned,
} from './webm-elements.ts';
import { BLOCK_HEAD, type Counter, counterOf, lacingOf, type Packed } from './webm-packets.ts';

/** What readers look for behind what they cannot read. */
const LOOKED_FOR = ['1f43b675', '1549a966', '1654ae6b'].map((id) => Buffer.from(id, 'hex'));

const NONE = Buffer.alloc(0);
const VIDEO = 1;
const NANOSECONDS = 1e9;
/** Nanoseconds of a tick where the file tells none. */
const USUAL_SCALE = 1_000_000;
/** More than one is seldom seen. */
const ENCODINGS_MOST = 16;
/** Of an element, so that it is looked through before it is read. */
const KEPT_MOST = 131_072;
/** What it takes to look through one. */
const STEPS_A_LOOK = 2;
/** What a codec keeps with its track: books of Vorbis are the longest. */
const PRIVATE_MOST = 65_536;

interface Track extends Packed {
  number: number;
  isVideo: boolean;
  /** What was told of its packets: of two readers follow either. */
  told: Set<number>;
  /** Nanoseconds for which each of its packets is shown: the most that is told, and what readers go by. */
  packetDuration: number;
  followed: number;
  /** Where readers follow none its codec may tell another. */
  hasOwnRate: boolean;
  blocks: Blocks | null;
  /** Whether every reader takes its packets as they are; found when the first one comes. */
  isTaken?: boolean;
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

/** As much of a codec's name as is known. */
const CODEC_MOST = 32;

/** What a track is, and how its packets are decoded. */
const TOLD_ONCE: ReadonlySet<number> = new Set([
  ...[ID.kind, ID.codec, ID.private],
  ...[ID.rate, ID.playedRate, ID.channels, ID.bits],
]);

function tellOnce({ told }: Track, id: number): void {
  if (told.has(id)) throw new Untold();
  told.add(id);
}

/** Each frame begins with the same bytes, which were left out. */
const HEADS_STRIPPED = 3;

const isWhole = ({ encodings }: Track): boolean =>
  encodings.every((algorithm) => algorithm === HEADS_STRIPPED);

/** How slow packets are that do not tell: of those that were packed once more nobody knows. */
const slowestOf = (track: Track): number => (isWhole(track) ? SLOWEST_BYTES_A_SECOND : LEAST_BYTES_A_SECOND);

export const isWebm = (feed: Feed): boolean => feed.u32(0) === ID.ebml;

export function* walkWebm(feed: Feed): Walk {
  feed.bytesAStep = FILM_BYTES_A_STEP;
  const file = new Webm();
  const holders: Holder[] = [{ id: FILE, end: Number.POSITIVE_INFINITY }];
  while (feed.has(HEAD_MOST) || (yield* feed.need(HEAD_MOST)) || feed.has(2)) {
    const head = headAt(feed);
    if (!head) break;
    const { id, size } = head;
    const around = leave(feed, holders, id);
    feed.skip(head.bytes);
    const end = feed.position + size;
    if (!isPlaced(id, around) || !fits(id, size, end, around)) throw new Untold();
    file.enter(id);
    if (HOLDERS.has(id)) holders.push({ id, end });
    else if (!(yield* passOver(feed, file, id, size))) break;
  }
  return file.found(feed.total);
}

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
  if (!isTaken) feed.step(STEPS_A_LOOK);
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
    const empty = { number: 0, isVideo: false, codec: '', private: NONE };
    const heard = { rate: 8000, playedRate: 0, channels: 1, bits: 0, told: new Set<number>() };
    const counts = { packetDuration: 0, followed: 0, hasOwnRate: false, counted: 0, uncounted: 0 };
    if (this.#tracks.push({ ...empty, ...heard, encodings: [], ...counts, blocks: null }) > TRACKS_MOST)
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
    if (track && TOLD_ONCE.has(id)) tellOnce(track, id);
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
      case ID.playedRate:
        if (track) track.playedRate = float(feed, size);
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
          // Filled up with zeros, or behind what tells its codec with the name of a variant.
          track.codec = feed.word(0, Math.min(size, CODEC_MOST)).replace(/\0.*/s, '');
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

  /** Whether every reader takes a block as it is: one packet, of which nothing is made before it is decoded. */
  takesBlock(feed: Feed, size: number): boolean {
    const length = Math.clz32(feed.u8(0)) - 23;
    if (length > NUMBER_MOST || size < length + 3) throw new Untold();
    const track = feed.has(length) ? this.#byNumber.get(marked(feed, 0, length)) : undefined;
    if (!track) return false;
    track.isTaken ??= TAKEN.test(track.codec) && isWhole(track);
    return track.isTaken && lacingOf(feed.u8(length + 2)) === 0;
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
    track.counter ??= counterOf(track, feed.budget);
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
