/**
 * MP4, M4A, MOV and 3GP (ISO/IEC 14496-12), whole or in fragments: how many samples the tables of a track list, and how
 * long its codec makes each. Durations that tables tell count where they are longer. What holds other boxes is only
 * stepped into, so that no size of it can hide them.
 */
import { type Feed, REST, type Walk } from './feed.ts';
import { enterDescription } from './mp4-sample-entry.ts';
import {
  addSamples,
  addTimes,
  countIn,
  newTrack,
  readTimes,
  showLater,
  shownSeconds,
  soundBytes,
  type Track,
  walkedSeconds,
} from './mp4-track.ts';

const HOLDERS = /^(moov|trak|edts|mdia|minf|stbl|mvex|moof|traf|wave)$/;
const HEAD = 8;
const LONG_HEAD = 16;
/** Nobody has more; each is kept until the end. */
const TRACKS_MOST = 256;

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
  addTrack(): boolean {
    return this.#tracks.push(newTrack()) <= TRACKS_MOST;
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
    const walked = walkedSeconds(this.#tracks, total);
    if (walked + this.#seconds === 0) return null;
    return { walked, told: this.#seconds, bytes: soundBytes(this.#tracks, total), shown: this.#shown() };
  }

  /** The longest of what the movie and its tracks claim. */
  #shown(): number {
    const whole = Math.max(this.#ticks, ...this.#tracks.map(({ whole }) => whole));
    return Math.max(this.#seconds, whole / Math.max(this.#scale, 1), ...this.#tracks.map(shownSeconds));
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

  #addTicks(track: Track, ticks: number, count = 1): void {
    track.isUntimed ||= count > 0 && ticks === 0;
    track.fragments += count * ticks;
    this.#at += count * ticks;
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
      this.#addTicks(track, this.#usual, count);
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
      if (yield* feed.need(12)) {
        track.isSound ||= feed.word(8, 4) === 'soun';
        track.isPicture ||= feed.word(8, 4) === 'vide';
      }
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
        addTimes(track, feed.u32(0), feed.u32(4));
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
