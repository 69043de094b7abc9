/**
 * Frames that follow one another without a container: MPEG sound of all layers (MP3), and AAC in ADTS. Each frame is
 * counted where it lies: what Xing's, Info's and VBRI's headers say of their number is not asked. Headers as in
 * ISO/IEC 11172-3, 13818-3 and 14496-3.
 *
 * A false header between frames may claim the bytes of many, which one reader passes over and another plays. Where a file
 * is not written as every reader reads it alike, it is read in each of their ways, and the longest counts.
 */
import { type Feed, Untold, type Walk } from './feed.ts';
import { type FrameKind, secondsOfFrame } from './frames.ts';
import { MOST_LOOKED } from './unread.ts';

interface Frame {
  /** With its header; 0 where only the next frame tells. */
  bytes: number;
  /** Of one channel. */
  samples: number;
  rate: number;
  /** Of all blocks, where a frame has several; two where nothing goes by it. */
  channels?: number;
  /** What stays alike from frame to frame: version, layer and rate; of AAC all of the head that does. */
  kind: number;
}

const RATES = [44_100, 48_000, 32_000] as const;
const KBITS = {
  v1l1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  v1l2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  v1l3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  v2l1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  v2l23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

/** The sampling rates of MPEG-4, by their index. */
const AAC_RATES: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
/** Samples of one raw block of AAC. */
export const AAC_SAMPLES = 1024;

/** Its later kinds, whose types take more bits, put up to so many into a frame. */
const LATER_SAMPLES = 4096;
const LATER_TYPE = 31;
const WRITTEN_RATE = 15;

/** A channel of a frame has at most 6,144 bits (ISO/IEC 14496-3, 4.5.3.2). */
const AAC_CHANNEL_BYTES = 768;
/** By the index of the configuration; of the first one what is configured stands in the sound. */
const AAC_CHANNELS: readonly number[] = [8, 1, 2, 3, 4, 5, 6, 8, 8, 8, 8, 7, 8, 24, 8];
/** 320 kbit/s. */
const AAC_DENSEST = 40_000;

/** Frames of so many seconds, in so many channels. */
export const aacFrames = (seconds: number, channels = 2): FrameKind => ({
  seconds,
  bytesMost: AAC_CHANNEL_BYTES * channels,
  densest: AAC_DENSEST,
});

/** Frames of AAC by their decoder's configuration (ISO/IEC 14496-3, 1.6.2.1); null where it tells none. */
export function aacConfigured(config: Uint8Array): FrameKind | null {
  let at = 0;
  const bits = (count: number): number => {
    let value = 0;
    for (; count > 0; count--, at++) value = value * 2 + (((config[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  const isLater = bits(5) === LATER_TYPE && bits(6) >= 0;
  const index = bits(4);
  const rate = index === WRITTEN_RATE ? bits(24) : (AAC_RATES[index] ?? 0);
  const channels = AAC_CHANNELS[bits(4)];
  return rate > 0 ? aacFrames((isLater ? LATER_SAMPLES : AAC_SAMPLES) / rate, channels) : null;
}

/** Seconds of the only frame of MPEG sound in so many bytes; 0 where they hold anything else. */
export function mpegSeconds(feed: Feed, at: number, size: number): number {
  const frame = feed.has(at + HEADER) && isSync(feed, at) ? mpegAt(feed, at) : null;
  return frame && frame.bytes > 0 && size <= frame.bytes ? frame.samples / frame.rate : 0;
}

const HEADER = 4;
const ADTS_HEADER = 7;

/** Speech and music have more than thirty bytes a frame. */
const STEPS_A_FRAME = 3;

/** The header at a position of which `HEADER` bytes are there. */
function frameAt(feed: Feed, at: number): Frame | null {
  if (!isSync(feed, at)) return null;
  return isAdts(feed, at) ? adtsAt(feed, at) : mpegAt(feed, at);
}

const isAdts = (feed: Feed, at: number): boolean => (feed.u8(at + 1) & 0xf6) === 0xf0;

const isSync = (feed: Feed, at: number): boolean => feed.u8(at) === 0xff && (feed.u8(at + 1) & 0xe0) === 0xe0;

/** By the two bytes that tell all of it, each of which is read once. */
const MPEG_FRAMES = new Map<number, Frame | null>();

function mpegAt(feed: Feed, at: number): Frame | null {
  const [second, third] = [feed.u8(at + 1), feed.u8(at + 2)];
  const key = (second << 8) | third;
  const known = MPEG_FRAMES.get(key);
  if (known !== undefined) return known;
  const frame = mpegFrame(second, third);
  MPEG_FRAMES.set(key, frame);
  return frame;
}

function mpegFrame(second: number, third: number): Frame | null {
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const base = RATES[(third >> 2) & 3];
  if (version === 1 || layer === 4 || base === undefined) return null;
  const isFirst = version === 3;
  const rate = base / (isFirst ? 1 : version === 2 ? 2 : 4);
  const table = isFirst ? (['v1l1', 'v1l2', 'v1l3'] as const) : (['v2l1', 'v2l23', 'v2l23'] as const);
  const kbits = KBITS[table[layer - 1] ?? 'v1l3'][third >> 4];
  if (kbits === undefined) return null;
  const padding = (third >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1152;
  // The first layer counts in slots of four bytes.
  const slot = layer === 1 ? 4 : 1;
  const bytes = kbits === 0 ? 0 : (Math.floor((samples * 125 * kbits) / rate / slot) + padding) * slot;
  return { bytes, samples, rate, kind: (second & 0x1e) | ((third & 0x0c) << 8) };
}

function adtsAt(feed: Feed, at: number): Frame | null {
  if (!feed.has(at + ADTS_HEADER)) return null;
  const [third, fourth] = [feed.u8(at + 2), feed.u8(at + 3)];
  const rate = AAC_RATES[(third >> 2) & 15];
  const bytes = ((fourth & 3) << 11) | (feed.u8(at + 4) << 3) | (feed.u8(at + 5) >> 5);
  if (rate === undefined || bytes < ADTS_HEADER) return null;
  const blocks = (feed.u8(at + 6) & 3) + 1;
  return {
    bytes,
    samples: AAC_SAMPLES * blocks,
    rate,
    channels: blocks * (AAC_CHANNELS[((third & 1) << 2) | (fourth >> 6)] ?? 2),
    kind: ((feed.u8(at + 1) & 0x0f) << 12) | (third << 4) | (fourth >> 4),
  };
}

/** Whether frames begin here: a second one follows the first, or the file ends with it. */
export function* startsFrames(feed: Feed): Generator<void, boolean> {
  yield* feed.need(ADTS_HEADER);
  const first = feed.has(HEADER) ? frameAt(feed, 0) : null;
  if (!first || first.bytes === 0) return false;
  if (!(yield* feed.need(first.bytes + ADTS_HEADER))) return true;
  return frameAt(feed, first.bytes)?.kind === first.kind;
}

/**
 * From wherever the feed stands, over whatever lies between the frames: some decoders skip tags there, others do not. They
 * take for something else what should begin with frames and has few of them there.
 */
export function* walkFrames(feed: Feed, begins = true): Walk {
  const unheard = (yield* feed.need(UNHEARD_MOST)) ? unheardSeconds(feed) : 0;
  const [mpeg, aac] = [new MpegFrames(), new AacFrames()];
  const start = feed.position;
  let isLooked = !begins;
  for (;;) {
    if (!feed.has(ADTS_HEADER)) yield* feed.need(ADTS_HEADER);
    const passed = feed.position - start;
    if (!isLooked && passed >= MOST_LOOKED) {
      isLooked = true;
      if (Math.max(mpeg.bytes, aac.bytes) < passed / 2) throw new Untold();
    }
    if (!feed.has(HEADER)) break;
    const frame = frameAt(feed, 0);
    if (frame) feed.step(STEPS_A_FRAME);
    if (frame && isAdts(feed, 0)) aac.add(frame, feed.position);
    else if (frame) {
      if (!feed.has(frame.bytes + HEADER)) yield* feed.need(frame.bytes + HEADER);
      mpeg.add(frame, feed.position, isFollowed(feed, frame));
    }
    feed.findSync();
  }
  const walked = Math.max(mpeg.seconds, aac.seconds);
  return walked > 0 ? { walked, told: walked - unheard } : null;
}

/** Whether a frame of MPEG is followed by one of its kind, which decoders ask who look for where frames begin. */
const isFollowed = (feed: Feed, { bytes, kind }: Frame): boolean =>
  bytes > 0 && feed.has(bytes + HEADER) && isSync(feed, bytes) && mpegAt(feed, bytes)?.kind === kind;

/** Of a reader who takes any frame, and passes over all that it claims. */
class AnyFrames {
  seconds = 0;
  bytes = 0;
  #end = 0;

  add({ bytes, samples, rate }: Frame, position: number): void {
    if (position < this.#end) return;
    this.seconds += samples / rate;
    this.bytes += bytes;
    // Of free format only the next header tells the end.
    this.#end = position + bytes;
  }
}

/** Frames of MPEG as they are read by those who take any, and by those who take such as stand in a row of their kind. */
class MpegFrames {
  readonly #any = new AnyFrames();
  readonly #kinds = new Map<number, { seconds: number; end: number }>();

  add(frame: Frame, position: number, isFollowed: boolean): void {
    this.#any.add(frame, position);
    const row = this.#kinds.get(frame.kind) ?? { seconds: 0, end: 0 };
    this.#kinds.set(frame.kind, row);
    if (isFollowed ? position < row.end : position !== row.end) return;
    row.seconds += frame.samples / frame.rate;
    // Within the last one of a row the next may begin.
    row.end = isFollowed ? position + frame.bytes : position;
  }

  get bytes(): number {
    return this.#any.bytes;
  }

  get seconds(): number {
    const rows = [...this.#kinds.values()].reduce((sum, { seconds }) => sum + seconds, 0);
    return Math.max(this.#any.seconds, rows);
  }
}

/** So many heads of AAC with the same bits are no chance. */
const OFTEN = 4;

/**
 * Frames of AAC as they are read by those who take any, and by those who take such as have the same head. Of the latter
 * some read on behind what they decoded of a frame, so that those within others count, and long frames as long as several.
 */
class AacFrames {
  readonly #any = new AnyFrames();
  readonly #kinds = new Map<number, { seconds: number; frames: number }>();

  add(frame: Frame, position: number): void {
    this.#any.add(frame, position);
    const all = this.#kinds.get(frame.kind) ?? { seconds: 0, frames: 0 };
    this.#kinds.set(frame.kind, all);
    all.seconds += secondsOfFrame(aacFrames(frame.samples / frame.rate, frame.channels), frame.bytes);
    all.frames++;
  }

  get bytes(): number {
    return this.#any.bytes;
  }

  get seconds(): number {
    const often = [...this.#kinds.values()].filter(({ frames }) => frames >= OFTEN);
    return Math.max(
      this.#any.seconds,
      often.reduce((sum, { seconds }) => sum + seconds, 0),
    );
  }
}

/** Where the first frame of MP3 has Xing's header, by version and mode; and where in it LAME tells what it filled up. */
const XING = { first: { stereo: 36, mono: 21 }, later: { stereo: 21, mono: 13 } } as const;
const FILLED = 141;
const UNHEARD_MOST = 36 + FILLED + 3;

/** The frame that is nothing but this header, and samples that the encoder filled up at both ends. */
function unheardSeconds(feed: Feed): number {
  const frame = frameAt(feed, 0);
  if (!frame || frame.bytes === 0) return 0;
  const isMono = feed.u8(3) >> 6 === 3;
  const at = XING[(feed.u8(1) & 8) !== 0 ? 'first' : 'later'][isMono ? 'mono' : 'stereo'];
  if (!feed.isWord(at, 'Xing') && !feed.isWord(at, 'Info')) return 0;
  const filled = frame.bytes > at + FILLED + 3 ? feed.u32(at + FILLED - 1) & 0xffffff : 0;
  return (frame.samples + (filled >> 12) + (filled & 4095)) / frame.rate;
}

/** Passes over a tag at the beginning of a file, and what fills it up; false where there is none. */
export function* skipTag(feed: Feed): Generator<void, boolean> {
  if (!feed.isWord(0, 'ID3') || !(yield* feed.need(10)) || !isTag(feed)) return false;
  const hasFoot = (feed.u8(5) & 0x10) !== 0;
  feed.skip(10 + syncSafe(feed, 6) + (hasFoot ? 10 : 0));
  while ((feed.has(1) || (yield* feed.need(1))) && feed.u8(0) === 0) feed.skip(1);
  return true;
}

/** Of what has another version or size readers take no tag, and begin with the frames at once. */
const isTag = (feed: Feed): boolean =>
  [3, 4].every((at) => feed.u8(at) !== 0xff) && [6, 7, 8, 9].every((at) => feed.u8(at) < 0x80);

/** Four bytes of seven bits each. */
const syncSafe = (feed: Feed, at: number): number =>
  [0, 1, 2, 3].reduce((sum, n) => sum * 128 + (feed.u8(at + n) & 127), 0);
