/**
 * Ogg (RFC 3533) by its packets, each as long as its codec says: Opus, Vorbis, Speex, FLAC. The position that pages tell
 * can only say how much of the last packets is not to be heard. Streams that follow one another, or lie side by side,
 * are added.
 *
 * Where a file is not written as every reader reads it alike, it is read in each of their ways, and never a shorter length
 * is told than one of them plays.
 */
import type { MeasuringBudget } from '../measuring-budget.ts';
import { Feed, type Found, SLOWEST_BYTES_A_SECOND, type Walk } from './feed.ts';
import { framesIn } from './flac.ts';
import { pageSum } from './ogg-sum.ts';
import { OPUS_RATE, opusSeconds } from './opus.ts';
import { VorbisPackets } from './vorbis.ts';

const PAGE_HEAD = 27;
const SUM_AT = 22;
const CONTINUES = 1;
const BEGINS = 2;
/** Tables before the sound, which take some 5,000 bytes. */
const HEAD_BYTES_MOST = 64 * 1024;

/** A stream that begins is looked at and kept: nobody lays thousands after or beside one another. */
const MARKS_A_STREAM = 32;
/** More bytes pay for a step than of other sounds, as each page is read twice: a page of a packet of speech pays for both. */
const OGG_BYTES_A_STEP = 24;
const STEPS_A_PAGE = 3;
const STEPS_A_SEGMENT = 0.75;
/** Of a page that is none, whose bytes are looked at once more. */
const SUMMED_BYTES_A_MARK = 256;

export const isOgg = (feed: Feed): boolean => feed.isWord(0, 'OggS');

/**
 * Most readers take no page for one whose check sum or version is wrong, and look for the next inside of it. Others look
 * at neither. The longer of both readings counts.
 */
export function* walkOgg(feed: Feed): Walk {
  feed.bytesAStep = OGG_BYTES_A_STEP;
  const strict = new Reading(feed.budget);
  const lax = new Reading(feed.budget);
  for (;;) {
    if (!feed.has(PAGE_HEAD) && !(yield* feed.need(PAGE_HEAD))) break;
    const bytes = isOgg(feed) ? yield* pageBytes(feed) : 0;
    if (bytes > 0) {
      const page = feed.bytes(0, bytes);
      feed.step(STEPS_A_PAGE + page.readUInt8(PAGE_HEAD - 1) * STEPS_A_SEGMENT);
      const { position } = feed;
      if (lax.at <= position) lax.read(page, position);
      if (strict.at <= position) {
        if (hasItsSum(page)) strict.read(page, position);
        else feed.budget.spend(Math.ceil(bytes / SUMMED_BYTES_A_MARK));
      }
    }
    const next = Math.min(lax.at, strict.at) - feed.position;
    if (next > 0) feed.skip(next);
    else feed.findWord('OggS');
  }
  const [one, other] = [strict.end(), lax.end()];
  const found = one.walked < other.walked ? other : one;
  return found.walked > 0 ? found : null;
}

/** 0 of a page that is cut, which is played by nobody. */
function* pageBytes(feed: Feed): Generator<void, number> {
  const head = PAGE_HEAD + feed.u8(PAGE_HEAD - 1);
  if (!feed.has(head) && !(yield* feed.need(head))) return 0;
  let bytes = head;
  for (let at = PAGE_HEAD; at < head; at++) bytes += feed.u8(at);
  return feed.has(bytes) || (yield* feed.need(bytes)) ? bytes : 0;
}

/** The sum is of the page with zeros in its own place; the page is a copy. */
function hasItsSum(page: Buffer): boolean {
  const sum = page.readUInt32LE(SUM_AT);
  return page.readUInt8(4) === 0 && pageSum(page.fill(0, SUM_AT, SUM_AT + 4)) === sum;
}

/** What readers of one way make of a file. */
class Reading {
  /** Where in the file the next page is looked for. */
  at = 0;
  readonly #streams = new Map<number, Stream>();

  constructor(readonly budget: MeasuringBudget) {}

  read(page: Buffer, position: number): void {
    const serial = page.readUInt32LE(14);
    let stream = this.#streams.get(serial);
    if (!stream || (page.readUInt8(5) & BEGINS) !== 0) this.budget.spend(MARKS_A_STREAM);
    // Some readers do not ask whether a page of a new stream says that it begins one.
    if (!stream) {
      stream = new Stream(this.budget);
      this.#streams.set(serial, stream);
    }
    stream.read(page);
    this.at = position + page.length;
  }

  end(): Found {
    const found = { walked: 0, told: 0 };
    for (const stream of this.#streams.values()) {
      const walked = stream.end();
      found.walked += walked;
      found.told += Math.min(stream.told, walked);
    }
    return found;
  }
}

/** What goes by one head. */
interface Link {
  codec: Codec;
  seconds: number;
  /** Packets that have ended, with the head. */
  packets: number;
}

/**
 * The pages of one number. Files that were laid one behind another may have the same: each is a link of its own, whose
 * packets most readers take by its head, and others by the first head that they saw.
 */
class Stream {
  /** Seconds until the positions that were told last. */
  told = 0;
  #toldBefore = 0;
  #first: Link | null = null;
  #last: Link | null = null;
  /** Seconds of the links before the last. */
  #before = 0;
  /** Whether a packet is under way, and whether it may be a head. */
  #isOpen = false;
  #mayBeHead = true;
  /** Packets were cut or left out, so that nobody can tell which is the third. */
  #isTorn = false;
  #nextPage = 0;
  /** The packet that is under way, where it must be read as a whole. */
  #isKept = false;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(readonly budget: MeasuringBudget) {}

  read(page: Buffer): void {
    const flags = page.readUInt8(5);
    const isContinued = (flags & CONTINUES) !== 0;
    const number = page.readUInt32LE(18);
    if (this.#isOpen && (!isContinued || number !== this.#nextPage)) this.#cut();
    this.#nextPage = (number + 1) >>> 0;
    if ((flags & BEGINS) !== 0 && !this.#isOpen) this.#mayBeHead = true;
    this.#packets(page, isContinued && !this.#isOpen);
    const [low, high] = [page.readUInt32LE(6), page.readUInt32LE(10)];
    // Of a page on which no packet ends it is -1.
    if (this.#last?.codec.until && high < 2 ** 31)
      this.told = this.#toldBefore + this.#last.codec.until(low + high * 2 ** 32);
  }

  /** Seconds by each head until the next, or all by the first. */
  end(): number {
    const [first, last] = [this.#first, this.#last];
    // Frames of FLAC are found without heads: those of the first are among all.
    const found = first?.codec.rest?.() ?? 0;
    const byFirst = (first?.seconds ?? 0) + found;
    const byLast = last === first ? byFirst : found + (last ? endOf(last) : 0);
    return Math.max(byFirst, this.#before + byLast);
  }

  #packets(page: Buffer, beginsWithRest: boolean): void {
    const lacing = page.readUInt8(PAGE_HEAD - 1);
    let start = PAGE_HEAD + lacing;
    let end = start;
    // What is left of a packet whose beginning is not there is left out by all.
    let isLeftOut = beginsWithRest;
    if (isLeftOut) this.#isTorn = true;
    for (let n = 0; n < lacing; n++) {
      const segment = page[PAGE_HEAD + n] ?? 0;
      end += segment;
      if (segment === 255 && n < lacing - 1) continue;
      if (!isLeftOut) this.#piece(page, start, end);
      if (segment < 255) {
        if (!isLeftOut) this.#end();
        isLeftOut = false;
      }
      start = end;
    }
  }

  /** So many bytes of a packet. */
  #piece(page: Buffer, start: number, end: number): void {
    const [first, last] = [this.#first, this.#last];
    const begins = !this.#isOpen;
    this.#isOpen = true;
    this.#isKept = this.#mayBeHead || last?.codec.setUp?.packet === last?.packets;
    if (this.#isKept) {
      const piece = page.subarray(start, Math.min(end, start + HEAD_BYTES_MOST - this.#keptBytes));
      this.#kept.push(piece);
      this.#keptBytes += piece.length;
    }
    if (this.#mayBeHead || end === start) return;
    if (first && first !== last) count(first, page, start, end, begins);
    if (last && !this.#isKept) count(last, page, start, end, begins);
  }

  #end(): void {
    this.#isOpen = false;
    if (this.#isKept) {
      const packet = Buffer.concat(this.#kept);
      this.#kept = [];
      this.#keptBytes = 0;
      if (this.#mayBeHead) this.#beginLink(packet);
      else if (!this.#isTorn) this.#last?.codec.setUp?.read(packet);
    }
    if (this.#first && this.#first !== this.#last) this.#first.packets++;
    if (this.#last) this.#last.packets++;
  }

  /** What is no head is a packet like any, where there was one before. */
  #beginLink(packet: Buffer): void {
    this.#mayBeHead = false;
    const known = codecOf(packet, this.budget);
    const [first, last] = [this.#first, this.#last];
    const isLink = known !== null || !last;
    if (isLink && last) this.#before += last === first ? last.seconds : endOf(last);
    if (first) count(first, packet, 0, packet.length, true);
    if (!isLink) {
      if (last !== first) count(last, packet, 0, packet.length, true);
      return;
    }
    this.#last = { codec: known ?? unknownCodec(), seconds: 0, packets: 0 };
    if (known) this.#first ??= this.#last;
    this.#toldBefore = this.told;
  }

  /** Ends a packet that does not go on; readers that leave it out may take the next for the head. */
  #cut(): void {
    const mayBeHead = this.#mayBeHead;
    this.#end();
    this.#mayBeHead = mayBeHead;
    this.#isTorn = true;
  }
}

const endOf = ({ codec, seconds }: Link): number => seconds + (codec.rest?.() ?? 0);

/** So many bytes of a packet that is no head. */
function count(link: Link, page: Buffer, start: number, end: number, begins: boolean): void {
  if (end === start) return;
  const { codec, packets } = link;
  codec.take?.(page.subarray(start, end));
  if (begins && codec.seconds) link.seconds += codec.seconds(page[start] ?? 0, page[start + 1] ?? 0, packets);
}

// ---- Codecs, by the first packet of their streams ----------------------------------------------------------------

interface Codec {
  /** Seconds that a packet adds which is the nth and begins with these two bytes. */
  seconds?(first: number, second: number, nth: number): number;
  /** Of one that does not go by packets: its bytes, and the seconds of all of them. */
  take?(bytes: Buffer): void;
  rest?(): number;
  /** Seconds until a position. */
  until?(position: number): number;
  /** A packet that must be read before the sound, and its number. */
  setUp?: { packet: number; read(packet: Buffer): void };
}

const startsWith = (head: Buffer, word: string): boolean => head.toString('latin1', 0, word.length) === word;

const codecOf = (head: Buffer, budget: MeasuringBudget): Codec | null =>
  opusIn(head) ?? vorbisIn(head, budget) ?? speexIn(head) ?? flacIn(head, budget) ?? silentIn(head);

/** RFC 7845: two packets before the sound; positions count what is to be left out at the beginning. */
function opusIn(head: Buffer): Codec | null {
  if (!startsWith(head, 'OpusHead') || head.length < 12) return null;
  const skipped = head.readUInt16LE(10);
  return {
    seconds: (first, second, nth) => (nth < 2 ? 0 : opusSeconds(first, second)),
    until: (position) => Math.max(position - skipped, 0) / OPUS_RATE,
  };
}

function vorbisIn(head: Buffer, budget: MeasuringBudget): Codec | null {
  if (!startsWith(head, '\x01vorbis')) return null;
  const packets = new VorbisPackets(head);
  if (packets.rate === 0) return null;
  return {
    seconds: (first) => packets.samples(first) / packets.rate,
    until: (position) => position / packets.rate,
    setUp: { packet: 2, read: (packet) => packets.setUp(packet, budget) },
  };
}

/** Samples of a frame of Speex in narrow band; each wider one has twice as many. */
const SPEEX_SAMPLES = 160;
const SPEEX_WIDEST = 2;

/**
 * The Speex manual, 7.1: rate, band, samples of a frame, frames of a packet. Decoders go by the band, and not all by how
 * many packets of comments are told, of which there is one.
 */
function speexIn(head: Buffer): Codec | null {
  if (!startsWith(head, 'Speex   ') || head.length < 72) return null;
  const [rate = 0, band = 0, told = 0, frames = 0] = [36, 40, 56, 64].map((at) => head.readUInt32LE(at));
  if (rate === 0) return null;
  const samples = Math.max(told, SPEEX_SAMPLES * 2 ** Math.min(band, SPEEX_WIDEST));
  return {
    seconds: (_, __, nth) => (nth < 2 ? 0 : (samples * (frames || 1)) / rate),
    until: (position) => position / rate,
  };
}

/** RFC 9639, 10.1: frames are found by their own heads, as many as a packet holds; the stream's may say anything. */
function flacIn(head: Buffer, budget: MeasuringBudget): Codec | null {
  if (!startsWith(head, '\x7fFLAC') || head.length < 51) return null;
  const rate = head.readUIntBE(27, 3) >> 4;
  const feed = new Feed(budget);
  const frames = framesIn(feed, rate);
  return {
    take(bytes) {
      feed.push(bytes);
      frames.next();
    },
    rest() {
      feed.end();
      return frames.next().value ?? 0;
    },
    ...(rate > 0 && { until: (position: number) => position / rate }),
  };
}

/** Pictures, words, and what tells where they are. */
const SILENT = [
  '\x80theora',
  '\x80daala',
  '\x80kate',
  'BBCD',
  'KW-DIRAC',
  'OVP80',
  '\x01video',
  '\x01text',
  'fishead',
  'CMML',
  'index',
];

const silentIn = (head: Buffer): Codec | null => (SILENT.some((word) => startsWith(head, word)) ? {} : null);

/** As slow as any file that does not tell. */
function unknownCodec(): Codec {
  let bytes = 0;
  return {
    take: (piece) => {
      bytes += piece.length;
    },
    rest: () => bytes / SLOWEST_BYTES_A_SECOND,
  };
}
