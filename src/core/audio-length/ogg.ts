/**
 * Ogg (RFC 3533) by its packets, each as long as its codec says: Opus, Vorbis, Speex, FLAC. The position that pages tell
 * can only say how much of the last packets is not to be heard. Streams that follow one another, or lie side by side,
 * are added.
 */
import type { Feed, Walk } from './feed.ts';
import { OPUS_RATE, opusSeconds } from './opus.ts';
import { VorbisPackets } from './vorbis.ts';

const PAGE_HEAD = 27;
const CONTINUES = 1;
const BEGINS = 2;
/** Nobody lays more after or beside one another. */
const STREAMS_MOST = 256;
/** Tables before the sound, which take some 5,000 bytes. */
const HEAD_BYTES_MOST = 64 * 1024;

export const isOgg = (feed: Feed): boolean => feed.isWord(0, 'OggS');

/** Null where no codec is known here. */
export function* walkOgg(feed: Feed): Walk {
  const all: Stream[] = [];
  const open = new Map<number, Stream>();
  for (;;) {
    if (!feed.has(PAGE_HEAD) && !(yield* feed.need(PAGE_HEAD))) break;
    if (!isOgg(feed)) {
      feed.findWord('OggS');
      continue;
    }
    const lacing = feed.u8(26);
    if (!feed.has(PAGE_HEAD + lacing) && !(yield* feed.need(PAGE_HEAD + lacing))) break;
    const bytes = pageBytes(feed, lacing);
    // A page that is cut is played by nobody.
    if (!feed.has(bytes) && !(yield* feed.need(bytes))) break;
    const serial = feed.u32le(14);
    if ((feed.u8(5) & BEGINS) !== 0) {
      if (all.length === STREAMS_MOST) return null;
      const stream = new Stream();
      all.push(stream);
      open.set(serial, stream);
    }
    open.get(serial)?.page(feed, lacing);
    feed.skip(bytes);
  }
  const walked = all.reduce((sum, stream) => sum + stream.walked, 0);
  const told = all.reduce((sum, stream) => sum + Math.min(stream.told, stream.walked), 0);
  return walked > 0 ? { walked, told } : null;
}

function pageBytes(feed: Feed, lacing: number): number {
  let bytes = PAGE_HEAD + lacing;
  for (let n = 0; n < lacing; n++) bytes += feed.u8(PAGE_HEAD + n);
  return bytes;
}

class Stream {
  /** Seconds of its packets, and until the position that was told last. */
  walked = 0;
  told = 0;
  #codec: Codec | null = null;
  #packets = 0;
  /** The packet that is under way, where it must be read as a whole. */
  #head: Buffer[] = [];
  #headBytes = 0;

  /** A page that is there as a whole. */
  page(feed: Feed, lacing: number): void {
    let begins = (feed.u8(5) & CONTINUES) === 0;
    let start = PAGE_HEAD + lacing;
    let size = 0;
    for (let n = 0; n < lacing; n++) {
      const segment = feed.u8(PAGE_HEAD + n);
      size += segment;
      if (segment === 255 && n < lacing - 1) continue;
      this.#piece(feed, start, size, begins);
      if (segment < 255) this.#end();
      begins = true;
      start += size;
      size = 0;
    }
    const [low, high] = [feed.u32le(6), feed.u32le(10)];
    // Of a page on which no packet ends it is -1.
    if (this.#codec && high < 2 ** 31) this.told = this.#codec.end(low + high * 2 ** 32);
  }

  /** So many bytes of a packet. */
  #piece(feed: Feed, at: number, size: number, begins: boolean): void {
    if (this.#packets === 0 || this.#packets === this.#codec?.setUp?.packet) {
      const piece = feed.bytes(at, Math.min(size, HEAD_BYTES_MOST - this.#headBytes));
      this.#head.push(piece);
      this.#headBytes += piece.length;
    } else if (this.#codec && begins && size > 0) {
      this.walked += this.#codec.seconds(feed.u8(at), feed.u8(at + 1), this.#packets);
    }
  }

  #end(): void {
    if (this.#packets === 0) this.#codec = codecOf(Buffer.concat(this.#head));
    else if (this.#headBytes > 0) this.#codec?.setUp?.read(Buffer.concat(this.#head));
    this.#packets++;
    this.#head = [];
    this.#headBytes = 0;
  }
}

// ---- Codecs, by the first packet of their streams ----------------------------------------------------------------

interface Codec {
  /** Seconds that a packet adds which is the nth and begins with these two bytes. */
  seconds(first: number, second: number, nth: number): number;
  /** Seconds until a position. */
  end(position: number): number;
  /** A packet that must be read before the sound, and its number. */
  setUp?: { packet: number; read(packet: Buffer): void };
}

const startsWith = (head: Buffer, word: string): boolean => head.toString('latin1', 0, word.length) === word;

const codecOf = (head: Buffer): Codec | null =>
  opusIn(head) ?? vorbisIn(head) ?? speexIn(head) ?? flacIn(head);

/** RFC 7845: two packets before the sound; positions count what is to be left out at the beginning. */
function opusIn(head: Buffer): Codec | null {
  if (!startsWith(head, 'OpusHead') || head.length < 12) return null;
  const skipped = head.readUInt16LE(10);
  return {
    seconds: (first, second, nth) => (nth < 2 ? 0 : opusSeconds(first, second)),
    end: (position) => Math.max(position - skipped, 0) / OPUS_RATE,
  };
}

function vorbisIn(head: Buffer): Codec | null {
  if (!startsWith(head, '\x01vorbis')) return null;
  const packets = new VorbisPackets(head);
  if (packets.rate === 0) return null;
  return {
    seconds: (first) => packets.samples(first) / packets.rate,
    end: (position) => position / packets.rate,
    setUp: { packet: 2, read: (packet) => packets.setUp(packet) },
  };
}

/** The Speex manual, 7.1: rate, samples of a frame, frames of a packet, and how many packets of comments come first. */
function speexIn(head: Buffer): Codec | null {
  if (!startsWith(head, 'Speex   ') || head.length < 72) return null;
  const [rate, samples, frames, comments] = [36, 56, 64, 68].map((at) => head.readUInt32LE(at));
  if (!rate || !samples) return null;
  return {
    seconds: (_, __, nth) => (nth < 2 + (comments ?? 0) ? 0 : (samples * (frames || 1)) / rate),
    end: (position) => position / rate,
  };
}

/** RFC 9639, 10.1: each packet of the sound is a frame, of the size that the head tells for all. */
function flacIn(head: Buffer): Codec | null {
  if (!startsWith(head, '\x7fFLAC') || head.length < 51) return null;
  const samples = head.readUInt16BE(19);
  const rate = head.readUIntBE(27, 3) >> 4;
  if (rate === 0) return null;
  return {
    seconds: (first) => (first === 0xff ? samples / rate : 0),
    end: (position) => position / rate,
  };
}
