/**
 * MP4, M4A, MOV and 3GP (ISO/IEC 14496-12), whole or in fragments: how many samples the tables of a track list, and how
 * long its codec makes each. Durations that tables tell count where they are longer. What holds other boxes is only
 * stepped into, so that no size of it can hide them.
 */
import { type Feed, LEAST_BYTES_A_SECOND, REST, SLOWEST_BYTES_A_SECOND, type Walk } from './feed.ts';
import { headOf } from './flac.ts';
import { type FrameKind, secondsOfFrame } from './frames.ts';
import { AAC_SAMPLES, aacConfigured, aacFrames } from './mpeg.ts';
import { VorbisPackets } from './vorbis.ts';

interface Track {
  id: number;
  isSound: boolean;
  /** Ticks a second of its times. */
  scale: number;
  /** Ticks: told by its head, by its table of times, by its fragments. */
  head: number;
  table: number;
  fragments: number;
  /** The same until the end of its last fragment, which says when it begins; and how much later a picture is shown than read. */
  end: number;
  delay: number;
  /** By how much a picture is shown earlier than read: readers show all others so much later. */
  back: number;
  /** Ticks at which the last picture is gone, and the first is shown, by both. */
  gone: number;
  first: number;
  /** Where in it what is shown begins, by the list of that; infinite without one. */
  from: number;
  /** Its table of times: of how many pictures, how long each. */
  runs: [count: number, ticks: number][];
  /** It is longer than is kept, or stands behind what is shown later: any picture may be the last that is read. */
  isUnpaired: boolean;
  /** Ticks of the whole: told by its head, and by the list of what of it is shown when. */
  whole: number;
  /** What its codec makes of each of its samples; null where that is not known here. */
  kind: FrameKind | null;
  /** How many it lists, of how many bytes together. */
  samples: number;
  bytes: number;
  /** Seconds of those that were listed when the codec was known, and bytes of all others. */
  seconds: number;
  unread: number;
  /** It has several descriptions, and which of them a sample follows is not looked for. */
  isMixed: boolean;
  /** Ticks and bytes of a fragment's sample where nothing else tells. */
  usual: number;
  usualBytes: number;
}

/** Samples of so many bytes each. */
function addSamples(track: Track, bytes: number, count = 1): void {
  track.samples += count;
  track.bytes += count * bytes;
  if (track.kind) track.seconds += count * secondsOfFrame(track.kind, bytes);
  else track.unread += count * bytes;
}

/** A picture that is read until then is shown so much later; offsets without a sign are read with one as well. */
function showLater(track: Track, from: number, until: number, offset: number, hasSign = true): void {
  const signed = offset | 0;
  const delay = hasSign ? signed : offset;
  track.back = Math.max(track.back, -signed);
  track.delay = Math.max(track.delay, delay);
  track.gone = Math.max(track.gone, until + delay);
  track.first = Math.min(track.first, from + delay);
}

/** How many are read of a list. Behind the end of its box some readers go on, and nothing is known of what they find. */
function countIn(track: Track, told: number, room: number): number {
  if (told > room) track.whole = Number.POSITIVE_INFINITY;
  return Math.min(told, room);
}

/** When its pictures are read, for so many at a time. */
function readTimes({ runs }: Track): (pictures: number) => [from: number, until: number] {
  let run = 0;
  let taken = 0;
  let at = 0;
  return (pictures) => {
    const from = at;
    for (let left = pictures; left > 0; ) {
      const [count, ticks] = runs[run] ?? [Number.POSITIVE_INFINITY, 0];
      const now = Math.min(left, count - taken);
      at += now * ticks;
      left -= now;
      taken += now;
      if (taken < count) break;
      run++;
      taken = 0;
    }
    return [from, at];
  };
}

const HOLDERS = /^(moov|trak|edts|mdia|minf|stbl|mvex|moof|traf|wave)$/;
const HEAD = 8;
const LONG_HEAD = 16;
/** Nobody has more; each is kept until the end. */
const TRACKS_MOST = 256;
/** Kept of a table of times. */
const RUNS_MOST = 4_096;

export const isMp4 = (feed: Feed): boolean =>
  /^(ftyp|styp|moov|moof|mdat|wide|free|skip)$/.test(feed.word(4, 4));

export function* walkMp4(feed: Feed): Walk {
  const movie = new Movie();
  while (feed.has(HEAD) || (yield* feed.need(HEAD))) {
    const name = feed.word(4, 4);
    const small = feed.u32(0);
    if (small === 1 && !(yield* feed.need(LONG_HEAD))) break;
    const head = small === 1 ? LONG_HEAD : HEAD;
    const told = small === 1 ? feed.u64(HEAD) : small;
    // 0 means the rest; less than the head is no box, and nothing can be found behind it.
    const size = told < head ? REST : told;
    const end = feed.position + size;
    feed.skip(head);
    if (name === 'trak' && !movie.addTrack()) return null;
    if (name === 'traf') movie.beginTrack();
    if (HOLDERS.test(name)) continue;
    if (name === 'stsd') {
      if (yield* feed.need(8)) movie.describe(feed.u32(4));
      feed.skip(8);
    } else if (yield* movie.enter(feed, name, size - head)) continue;
    else feed.skip(Math.max(end - feed.position, 0));
  }
  return movie.found(feed.total);
}

class Movie {
  readonly #tracks: Track[] = [];
  #seconds = 0;
  /** Ticks a second of the whole, the slowest that was told, and how many its fragments are said to last. */
  #scale = 0;
  #ticks = 0;
  /** Of the fragment that is being read. */
  #fragment: Track | undefined;
  #usual = 0;
  #usualBytes = 0;
  /** Ticks at which its next run begins. */
  #at = 0;

  /** False when there are too many. */
  addTrack(id = 0): boolean {
    const empty = {
      isSound: false,
      scale: 0,
      head: 0,
      table: 0,
      fragments: 0,
      end: 0,
      delay: 0,
      back: 0,
      gone: 0,
      first: Number.POSITIVE_INFINITY,
      from: Number.POSITIVE_INFINITY,
      runs: [],
      isUnpaired: false,
      whole: 0,
      kind: null,
      isMixed: false,
      samples: 0,
      bytes: 0,
      seconds: 0,
      unread: 0,
      usual: 0,
      usualBytes: 0,
    };
    return this.#tracks.push({ id, ...empty }) <= TRACKS_MOST;
  }

  /** So many descriptions of the track's samples follow. */
  describe(count: number): void {
    const track = this.#tracks.at(-1);
    if (track && count > 1) track.isMixed = true;
  }

  /** Of a fragment. */
  beginTrack(): void {
    this.#at = 0;
  }

  found(total: number) {
    const claims = this.#tracks.map(({ scale, head, table, fragments }) =>
      scale > 0 ? Math.max(head, table, fragments) / scale : 0,
    );
    // Samples may share bytes, so that there can be more of them than bytes.
    const counted = this.#tracks.map(({ kind, samples, seconds, unread }) =>
      kind ? Math.max(samples * kind.seconds, seconds + Math.min(unread, total) / SLOWEST_BYTES_A_SECOND) : 0,
    );
    // Of a codec that is not counted here any time may be claimed: it may last as long as the file's bytes can.
    const uncounted = this.#tracks.filter(({ isSound, kind }) => isSound && !kind);
    // The pictures of a film are no sound. Fragments list their samples elsewhere.
    const isFilm = this.#tracks.some(({ isSound }) => !isSound);
    const bytes = uncounted.map((track) =>
      isFilm && track.fragments === 0 && track.bytes > 0 ? track.bytes : total,
    );
    const most = Math.max(0, ...bytes.map((each) => Math.min(each, total))) / SLOWEST_BYTES_A_SECOND;
    const walked = Math.max(Math.min(Math.max(most, ...claims), total / LEAST_BYTES_A_SECOND), ...counted);
    if (walked + this.#seconds === 0) return null;
    return { walked, told: this.#seconds, bytes: this.#soundBytes(total), shown: this.#shown() };
  }

  /** The longest of what heads, lists, tables and fragments claim. Of a track without a scale readers take what they like. */
  #shown(): number {
    const tracks = this.#tracks.map((track) => {
      const { scale, head, table, fragments, end, delay, back } = track;
      const ticks = Math.max(head, table, fragments, end, delay, goneAfter(track)) + back;
      return ticks / Math.max(scale, 1);
    });
    const whole = Math.max(this.#ticks, ...this.#tracks.map(({ whole }) => whole));
    return Math.max(this.#seconds, whole / Math.max(this.#scale, 1), ...tracks);
  }

  /** Everything but the pictures, and all that is listed as sound. */
  #soundBytes(total: number): number {
    const sum = (tracks: readonly Track[]) => tracks.reduce((bytes, track) => bytes + track.bytes, 0);
    const sound = sum(this.#tracks.filter(({ isSound }) => isSound));
    const pictures = sum(this.#tracks.filter(({ isSound }) => !isSound));
    return Math.max(Math.min(sound, total), total - pictures);
  }

  /** Reads what stands in a box behind its head; true where it goes on with boxes in it. */
  *enter(feed: Feed, name: string, size: number): Generator<void, boolean> {
    const track = this.#tracks.at(-1);
    switch (name) {
      case 'mvhd': {
        if (!(yield* feed.need(32))) return false;
        const { scale, ticks } = timesAt(feed);
        if (scale > 0) this.#seconds = Math.max(this.#seconds, ticks / scale);
        this.#scale = slower(this.#scale, scale);
        return false;
      }
      case 'mehd':
        if (yield* feed.need(12)) this.#ticks = Math.max(this.#ticks, ticksAt(feed, 4));
        return false;
      case 'tfdt':
        if (yield* feed.need(12)) this.#at = ticksAt(feed, 4);
        return false;
      case 'cmov':
        // It holds all of these heads, packed.
        this.#ticks = Number.POSITIVE_INFINITY;
        return false;
      case 'trex':
        if (!(yield* feed.need(20))) return false;
        return this.#setUsual(feed.u32(4), feed.u32(12), feed.u32(16));
      case 'tfhd':
        if (size >= 8 && (yield* feed.need(Math.min(size, 28)))) this.#begin(feed);
        return false;
      case 'trun':
        yield* this.#addRun(feed, size);
        return false;
      default:
        return track ? yield* enterTrack(feed, name, size, track) : false;
    }
  }

  #setUsual(id: number, ticks: number, bytes: number): false {
    const track = this.#tracks.find((each) => each.id === id);
    if (track) {
      track.usual = ticks;
      track.usualBytes = bytes;
    }
    return false;
  }

  #begin(feed: Feed): void {
    const flags = feed.u32(0);
    this.#fragment = this.#tracks.find(({ id }) => feed.has(8) && id === feed.u32(4));
    const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
    this.#usual = flags & 8 && feed.has(at + 4) ? feed.u32(at) : (this.#fragment?.usual ?? 0);
    const sizeAt = at + (flags & 8 ? 4 : 0);
    this.#usualBytes =
      flags & 16 && feed.has(sizeAt + 4) ? feed.u32(sizeAt) : (this.#fragment?.usualBytes ?? 0);
  }

  #addTicks(track: Track, ticks: number): void {
    track.fragments += ticks;
    this.#at += ticks;
    track.end = Math.max(track.end, this.#at);
  }

  *#addRun(feed: Feed, size: number): Generator<void, void> {
    const track = this.#fragment;
    if (!track || !(yield* feed.need(8))) return;
    const flags = feed.u32(0);
    const head = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
    const entry = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
    const listed = entry === 0 ? Number.POSITIVE_INFINITY : Math.max(Math.floor((size - head) / entry), 0);
    const count = countIn(track, feed.u32(4), listed);
    if ((flags & 0xb00) === 0) {
      this.#addTicks(track, count * this.#usual);
      addSamples(track, this.#usualBytes, count);
      return;
    }
    feed.skip(head);
    const sizeAt = flags & 0x100 ? 4 : 0;
    for (let n = 0; n < count && (feed.has(entry) || (yield* feed.need(entry))); n++) {
      const from = Math.min(this.#at, track.fragments);
      this.#addTicks(track, flags & 0x100 ? feed.u32(0) : this.#usual);
      if (flags & 0x800) {
        const until = Math.max(this.#at, track.fragments);
        showLater(track, from, until, feed.u32(entry - 4), flags >= SIGNED);
      }
      addSamples(track, flags & 0x200 ? feed.u32(sizeAt) : this.#usualBytes);
      feed.skip(entry);
    }
  }
}

/** The second version of a run stands before its flags. */
const SIGNED = 0x01000000;

/** How long it lasts by when its pictures are shown: players begin where they are told, which is no later than the first. */
function goneAfter({ table, delay, gone, first, from, isUnpaired }: Track): number {
  if (isUnpaired) return table + delay;
  return gone - (from === Number.POSITIVE_INFINITY ? 0 : Math.max(Math.min(from, first), 0));
}

/** Of the heads of movies and tracks, in either version: ticks a second, and how many it lasts. */
function timesAt(feed: Feed): { scale: number; ticks: number } {
  const at = isLong(feed) ? 20 : 12;
  const scale = feed.u32(at);
  // Readers who keep it with a sign take what is below 0 for one.
  return { scale: scale < 2 ** 31 ? scale : 1, ticks: ticksAt(feed, at + 4) };
}

/** The second version of a box has longer times. */
const isLong = (feed: Feed): boolean => feed.u8(0) === 1;

function ticksAt(feed: Feed, at: number): number {
  const ticks = isLong(feed) ? feed.u64(at) : feed.u32(at);
  // All ones: not known.
  return ticks >= (isLong(feed) ? 2 ** 63 : 0xffffffff) ? 0 : ticks;
}

/** Of two scales that are told the one by which it lasts longer; nobody can tell which is followed. */
const slower = (one: number, other: number): number =>
  one > 0 && other > 0 ? Math.min(one, other) : one || other;

function* enterTrack(feed: Feed, name: string, size: number, track: Track): Generator<void, boolean> {
  switch (name) {
    case 'tkhd':
      if (!(yield* feed.need(24))) return false;
      track.id = feed.u32(isLong(feed) ? 20 : 12);
      if (!isLong(feed) || (yield* feed.need(36)))
        track.whole = Math.max(track.whole, ticksAt(feed, isLong(feed) ? 28 : 20));
      return false;
    case 'elst': {
      if (!(yield* feed.need(8))) return false;
      const long = isLong(feed);
      const bytes = long ? 20 : 12;
      const count = Math.min(feed.u32(4), (size - 8) / bytes);
      let ticks = 0;
      feed.skip(8);
      for (let n = 0; n < count && (feed.has(bytes) || (yield* feed.need(bytes))); n++) {
        ticks += long ? feed.u64(0) : feed.u32(0);
        const from = long ? feed.u64(8) : feed.u32(4);
        // Below 0: nothing is shown for so long.
        if (from < (long ? 2 ** 63 : 2 ** 31)) track.from = Math.min(track.from, from);
        feed.skip(bytes);
      }
      track.whole = Math.max(track.whole, ticks);
      return false;
    }
    case 'ctts': {
      if (!(yield* feed.need(8))) return false;
      const count = countIn(track, feed.u32(4), (size - 8) / 8);
      const next = readTimes(track);
      feed.skip(8);
      for (let n = 0; n < count && (feed.has(8) || (yield* feed.need(8))); n++) {
        const [from, until] = next(feed.u32(0));
        showLater(track, from, until, feed.u32(4));
        feed.skip(8);
      }
      return false;
    }
    case 'hdlr':
      // QuickTime has one more inside `minf`, of how its data are found.
      if (yield* feed.need(12)) track.isSound ||= feed.word(8, 4) === 'soun';
      return false;
    case 'mdhd':
      if (yield* feed.need(32)) {
        const { scale, ticks } = timesAt(feed);
        track.scale = slower(track.scale, scale);
        track.head = Math.max(track.head, ticks);
      }
      return false;
    case 'stts': {
      if (!(yield* feed.need(8))) return false;
      const count = countIn(track, feed.u32(4), (size - 8) / 8);
      feed.skip(8);
      for (let n = 0; n < count && (feed.has(8) || (yield* feed.need(8))); n++) {
        track.table += feed.u32(0) * feed.u32(4);
        if (track.delay > 0 || track.runs.length === RUNS_MOST) track.isUnpaired = true;
        else track.runs.push([feed.u32(0), feed.u32(4)]);
        feed.skip(8);
      }
      return false;
    }
    case 'stsz':
    case 'stz2': {
      if (!(yield* feed.need(12))) return false;
      const count = feed.u32(8);
      const each = feed.u32(4);
      // The other lists halves of bytes and such; no sound is known to be written so.
      if (name === 'stz2') {
        track.samples += count;
        track.bytes += Number.POSITIVE_INFINITY;
        track.unread += Number.POSITIVE_INFINITY;
      } else if (each > 0) addSamples(track, each, count);
      else {
        const listed = Math.min(count, Math.max((size - 12) / 4, 0));
        feed.skip(12);
        for (let n = 0; n < listed && (feed.has(4) || (yield* feed.need(4))); n++) {
          addSamples(track, feed.u32(0));
          feed.skip(4);
        }
      }
      return false;
    }
    default:
      if (track.isMixed) return false;
      return yield* enterDescription(feed, name, size, track);
  }
}

/** What stands in the description of a track's samples. */
function* enterDescription(feed: Feed, name: string, size: number, track: Track): Generator<void, boolean> {
  switch (name) {
    case 'dfLa': {
      // Frames are refused that are longer than the head tells.
      const head = (yield* feed.need(26)) ? headOf(feed.bytes(4, 22)) : null;
      if (head && head.rate > 0) {
        const seconds = Math.max(head.most / head.rate, track.kind?.seconds ?? 0);
        track.kind = { seconds, bytesMost: head.most * head.sampleBytes + FLAC_FRAME_HEAD };
      }
      return false;
    }
    case 'damr':
      // How many of the codec's frames stand in a sample.
      if (track.kind && (yield* feed.need(9))) track.kind = times(track.kind, Math.max(feed.u8(8), 1));
      return false;
    case 'esds':
      if (yield* feed.need(Math.min(size, DESCRIPTORS_MOST))) {
        const kind = framesIn(feed, Math.min(size, DESCRIPTORS_MOST), track.kind?.seconds ?? 0);
        if (kind !== 'untold') track.kind = kind;
      }
      return false;
    default:
      return yield* enterSound(feed, name, size, track);
  }
}

const FLAC_FRAME_HEAD = 64;

const times = (kind: FrameKind, frames: number): FrameKind => ({
  ...kind,
  seconds: kind.seconds * frames,
  bytesMost: kind.bytesMost * frames,
});

/** What a codec packs into a sample of the file: samples of a channel, and the most bytes of them. */
interface Packing extends Omit<FrameKind, 'seconds'> {
  samples: number;
}
const ONE = Number.POSITIVE_INFINITY;
const PACKED: Readonly<Record<string, Packing>> = {
  mp4a: { ...aacFrames(0), samples: AAC_SAMPLES },
  // MPEG sound at 384 kbit/s.
  '.mp3': { samples: 1152, bytesMost: 1729 },
  // Decoders take one frame of these and pass over the rest.
  alac: { samples: 4096, bytesMost: ONE },
  fLaC: { samples: 4096, bytesMost: 4096 * 8 + FLAC_FRAME_HEAD },
  // A packet of 20 ms, as nearly all are, up to one of 120: the first byte of each tells, which need not have come yet.
  Opus: { samples: 960, bytesMost: 0, secondsMost: 0.12 },
  'ac-3': { samples: 1536, bytesMost: 3840 },
  'ec-3': { samples: 1536, bytesMost: 2 * 4096 },
  // The slowest frames of speech have 13 and 18 bytes.
  samr: { samples: 160, bytesMost: 32, slowest: 650 },
  sawb: { samples: 320, bytesMost: 61, slowest: 900 },
};
const PLAIN = /^(sowt|twos|lpcm|ipcm|fpcm|in24|in32|fl32|fl64|ulaw|alaw|raw )$/;
const SOUND_HEAD = 28;
/** What QuickTime's own two versions have more. */
const MORE: readonly number[] = [0, 16, 36];

/** The description of a track's sound, in which boxes follow that say more of the codec. */
function* enterSound(feed: Feed, name: string, size: number, track: Track): Generator<void, boolean> {
  const packing = PACKED[name];
  const isPlain = PLAIN.test(name);
  if ((!packing && !isPlain) || size < SOUND_HEAD || !(yield* feed.need(SOUND_HEAD))) return false;
  // Boxes inside may have the codec's name once more; that of ALAC says how long its frames are.
  if (track.kind) {
    if (name === 'alac') track.kind = alacFrames(feed, track.kind);
    return false;
  }
  const version = feed.u16(8);
  const isSecond = version === 2 && (yield* feed.need(SOUND_HEAD + 36));
  const rate = isSecond ? feed.f64(SOUND_HEAD + 4) : feed.u32(24) / 65_536;
  if (rate > 0 && Number.isFinite(rate))
    track.kind = packing ? packedAt(packing, rate) : plainAt(feed, isSecond, name, rate);
  feed.skip(SOUND_HEAD + (MORE[version] ?? 0));
  return true;
}

const packedAt = ({ samples, ...packing }: Packing, rate: number): FrameKind => ({
  ...packing,
  seconds: samples / rate,
});

/** Samples as they are: of so many bytes for all channels, whatever a table says of their size. */
function plainAt(feed: Feed, isSecond: boolean, name: string, rate: number): FrameKind {
  const channels = isSecond ? feed.u32(SOUND_HEAD + 12) : feed.u16(16);
  const bits = isSecond ? feed.u32(SOUND_HEAD + 20) : feed.u16(18);
  const told = Math.ceil(bits / 8);
  const each = name === 'ulaw' || name === 'alaw' ? 1 : Number(/\d+$/.exec(name)?.[0] ?? 0) / 8 || told;
  const bytes = Math.max(channels * each, 1);
  return { seconds: 1 / rate, bytesMost: bytes, slowest: bytes * rate };
}

/** Apple's description of its codec: the samples of a frame, and behind seventeen bytes more the rate. */
function alacFrames(feed: Feed, kind: FrameKind): FrameKind {
  const [samples, rate] = [feed.u32(4), feed.u32(24)];
  return rate > 0 ? { ...kind, seconds: Math.max(kind.seconds, samples / rate) } : kind;
}

// ---- The configuration of AAC (ISO/IEC 14496-1, 7.2.6; 14496-3, 1.6.2.1) -------------------------------------------

const DESCRIPTORS_MOST = 128;
const CONFIG_BYTES = 5;
const AAC_TYPES: ReadonlySet<number> = new Set([0x40, 0x66, 0x67, 0x68]);
/** Samples of a frame, by the types of others: MP3, AC-3 and E-AC-3, and DTS at its longest. */
const OF_TYPES: Readonly<Record<number, number>> = {
  105: 1152,
  107: 1152,
  165: 1536,
  166: 1536,
  169: 4096,
};

/** The largest of them: DTS in films. */
const OTHER_FRAME_BYTES = 4096;

/** Packets that are as long as any, where the configuration holds the first head of Vorbis. */
function vorbisFrames(config: Buffer): FrameKind | null {
  const at = config.indexOf('\x01vorbis', 0, 'latin1');
  const seconds = at < 0 ? 0 : new VorbisPackets(config.subarray(at)).longest;
  return seconds > 0 ? { seconds, bytesMost: ONE } : null;
}

/**
 * What a sample is by its decoder's configuration, which players follow; null of a codec that is not counted. `described`
 * is what a sample of AAC would last at the rate of the track's description.
 */
function framesIn(feed: Feed, size: number, described: number): FrameKind | null | 'untold' {
  let at = 4;
  let type = 0;
  while (at + 2 < size) {
    const tag = feed.u8(at++);
    let more = true;
    for (let n = 0; more && n < 4; n++) more = feed.u8(at++) > 127;
    if (tag === 3) at += 3;
    else if (tag === 4) {
      type = feed.u8(at);
      const samples = OF_TYPES[type];
      if (samples !== undefined) {
        return described > 0
          ? { seconds: (described * samples) / AAC_SAMPLES, bytesMost: OTHER_FRAME_BYTES }
          : null;
      }
      at += 13;
    } else if (tag === 5 && feed.has(at + CONFIG_BYTES)) {
      const config = feed.bytes(at, Math.max(size - at, CONFIG_BYTES));
      return AAC_TYPES.has(type) ? aacConfigured(config) : vorbisFrames(config);
    } else break;
  }
  return type === 0 || AAC_TYPES.has(type) ? 'untold' : null;
}
