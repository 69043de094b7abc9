/**
 * MP4, M4A, MOV and 3GP (ISO/IEC 14496-12), whole or in fragments: how many samples the tables of a track list, and how
 * long its codec makes each. Durations that tables tell count where they are longer.
 *
 * Where a file is not written as every reader reads it alike, it does not tell, and is never taken for shorter. Readers
 * differ in what they step into, in what ends a box that is longer than what is around it, and in which of two boxes they
 * follow. So each box that says of times stands in its one place and fits into it, or nothing is told.
 */
import { type Feed, FILM_BYTES_A_STEP, REST, TRACKS_MOST, Untold, type Walk } from './feed.ts';
import {
  type Box,
  checkUnknown,
  countOfDescriptions,
  ENTRY,
  endOf,
  entersMeta,
  FILE,
  HEAD,
  HOLDERS,
  holder,
  isPlaced,
  LONG_HEAD,
  leave,
} from './mp4-boxes.ts';
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
  tableTicks,
  walkedSeconds,
} from './mp4-track.ts';

/** What it takes to read one. */
const STEPS_A_BOX = 2;

export const isMp4 = (feed: Feed): boolean =>
  /^(ftyp|styp|moov|moof|mdat|wide|free|skip)$/.test(feed.word(4, 4));

export function* walkMp4(feed: Feed): Walk {
  feed.bytesAStep = FILM_BYTES_A_STEP;
  const movie = new Movie();
  const boxes = [holder(FILE, REST)];
  for (;;) {
    const around = leave(feed, boxes);
    if (!(feed.has(HEAD) || (yield* feed.need(HEAD)))) break;
    const name = feed.word(4, 4);
    const small = feed.u32(0);
    if (small === 1 && !(yield* feed.need(LONG_HEAD))) break;
    const head = small === 1 ? LONG_HEAD : HEAD;
    const end = endOf(feed.position, small === 1 ? feed.u64(HEAD) : small, head, around);
    if (around.entries-- === 0 || !isPlaced(name, around)) throw new Untold();
    feed.step(STEPS_A_BOX - 1);
    feed.skip(head);
    if (name === 'moov') movie.begin();
    if (name === 'moof') movie.beginFragment();
    if (name === 'trak') movie.addTrack();
    if (name === 'traf') movie.beginTrack();
    if (HOLDERS.has(name) || (name === 'meta' && (yield* entersMeta(feed, end)))) {
      boxes.push(holder(name, end));
    } else if (name === 'stsd') {
      const entries = yield* countOfDescriptions(feed, end);
      movie.describe(entries);
      boxes.push(holder(name, end, entries));
    } else if (yield* movie.enter(feed, name, end - feed.position, around)) boxes.push(holder(ENTRY, end));
    else {
      yield* checkUnknown(feed, name, end);
      if (feed.position > end) throw new Untold();
      feed.goTo(end);
    }
  }
  return movie.found(feed.total);
}

class Movie {
  readonly #tracks: Track[] = [];
  readonly #byId = new Map<number, Track>();
  /** Ticks and bytes of a sample where a fragment tells none, by the id of the track. */
  readonly #usuals = new Map<number, { ticks: number; bytes: number }>();
  #hasHead = false;
  #seconds = 0;
  /** Ticks a second of the whole, the slowest that was told, and how many its fragments are said to last. */
  #scale = 0;
  #ticks = 0;
  /** Of the fragment that is being read. */
  #fragment: Track | undefined;
  #hasRun = false;
  #usual = 0;
  #usualBytes = 0;
  /** Ticks at which its next run begins. */
  #at = 0;

  /** Of two heads readers follow the first or the last. */
  begin(): void {
    if (this.#hasHead) throw new Untold();
    this.#hasHead = true;
  }

  /** Its tracks are those of the head. */
  beginFragment(): void {
    if (!this.#hasHead) throw new Untold();
  }

  addTrack(): void {
    if (this.#tracks.push(newTrack()) > TRACKS_MOST) throw new Untold();
  }

  /** So many descriptions of the track's samples follow. */
  describe(count: number): void {
    const track = this.#tracks.at(-1);
    if (track && count > 1) track.isMixed = true;
  }

  /** Of a fragment. */
  beginTrack(): void {
    this.#fragment = undefined;
    this.#hasRun = false;
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
  *enter(feed: Feed, name: string, size: number, around: Box): Generator<void, boolean> {
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
        if (yield* hasTicks(feed)) this.#ticks = Math.max(this.#ticks, ticksAt(feed, 4));
        return false;
      case 'tfdt':
        if (this.#hasRun) throw new Untold();
        if (yield* hasTicks(feed)) this.#at = ticksAt(feed, 4);
        return false;
      case 'trex':
        if (yield* feed.need(20)) this.#setUsual(feed.u32(4), feed.u32(12), feed.u32(16));
        return false;
      case 'sidx':
        yield* this.#addIndex(feed, size);
        return false;
      case 'tkhd':
        if (track && (yield* feed.need(24))) yield* this.#setHead(feed, track);
        return false;
      case 'tfhd':
        if (size >= 8 && (yield* feed.need(Math.min(size, 28)))) this.#begin(feed);
        return false;
      case 'trun':
        yield* this.#addRun(feed, size);
        return false;
      default:
        return track ? yield* enterTrack(feed, name, size, track, around) : false;
    }
  }

  /** A track has one, and no two of them the same id. */
  *#setHead(feed: Feed, track: Track): Generator<void, void> {
    const id = feed.u32(isLong(feed) ? 20 : 12);
    if (track.id !== null || this.#byId.has(id)) throw new Untold();
    track.id = id;
    this.#byId.set(id, track);
    if (!isLong(feed) || (yield* feed.need(36)))
      track.whole = Math.max(track.whole, ticksAt(feed, isLong(feed) ? 28 : 20));
  }

  /** Where its fragments are and how long each: FFmpeg takes the ticks for those of the track, whatever scale is told. */
  *#addIndex(feed: Feed, size: number): Generator<void, void> {
    if (!(yield* feed.need(32))) return;
    const track = this.#byId.get(feed.u32(4));
    if (!track) throw new Untold();
    const long = isLong(feed);
    const head = long ? 32 : 24;
    const scale = Math.max(feed.u32(8), 1);
    const count = countIn(track, feed.u16(head - 2), Math.floor((size - head) / 12));
    let ticks = long ? feed.u64(12) : feed.u32(12);
    feed.skip(head);
    yield* feed.table(count, 12, (at) => {
      ticks += feed.u32(at + 4);
    });
    track.end = Math.max(track.end, ticks, (ticks / scale) * track.scale);
  }

  /** Of two the one by which it lasts longer; readers follow either. */
  #setUsual(id: number, ticks: number, bytes: number): void {
    const told = this.#usuals.get(id);
    this.#usuals.set(id, {
      ticks: Math.max(ticks, told?.ticks ?? 0),
      bytes: Math.max(bytes, told?.bytes ?? 0),
    });
    if (this.#usuals.size > TRACKS_MOST) throw new Untold();
  }

  #begin(feed: Feed): void {
    const id = feed.has(8) ? feed.u32(4) : 0;
    const track = this.#byId.get(id);
    if (!track || this.#fragment) throw new Untold();
    const flags = feed.u32(0);
    const usual = this.#usuals.get(id);
    this.#fragment = track;
    const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
    this.#usual = flags & 8 && feed.has(at + 4) ? feed.u32(at) : (usual?.ticks ?? 0);
    const sizeAt = at + (flags & 8 ? 4 : 0);
    this.#usualBytes = flags & 16 && feed.has(sizeAt + 4) ? feed.u32(sizeAt) : (usual?.bytes ?? 0);
    // Where nothing tells when it begins, it goes on behind the last.
    this.#at = Math.max(track.end, tableTicks(track));
  }

  #addTicks(track: Track, ticks: number, count = 1): void {
    track.isUntimed ||= count > 0 && ticks === 0;
    track.fragments += count * ticks;
    this.#at += count * ticks;
    track.end = Math.max(track.end, this.#at);
  }

  *#addRun(feed: Feed, size: number): Generator<void, void> {
    const track = this.#fragment;
    if (!track) throw new Untold();
    this.#hasRun = true;
    if (!(yield* feed.need(8))) return;
    const flags = feed.u32(0);
    const head = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
    const entry = ENTRY_FLAGS.reduce((bytes, flag) => bytes + (flags & flag ? 4 : 0), 0);
    const listed = entry === 0 ? Number.POSITIVE_INFINITY : Math.max(Math.floor((size - head) / entry), 0);
    const count = countIn(track, feed.u32(4), listed);
    if ((flags & 0xb00) === 0) {
      this.#addTicks(track, this.#usual, count);
      addSamples(track, this.#usualBytes, count);
      return;
    }
    feed.skip(head);
    const sizeAt = flags & 0x100 ? 4 : 0;
    yield* feed.table(count, entry, (at) => {
      const from = Math.min(this.#at, track.fragments);
      this.#addTicks(track, flags & 0x100 ? feed.u32(at) : this.#usual);
      if (flags & 0x800) {
        const until = Math.max(this.#at, track.fragments);
        showLater(track, from, until, feed.u32(at + entry - 4), flags >= SIGNED);
      }
      addSamples(track, flags & 0x200 ? feed.u32(at + sizeAt) : this.#usualBytes);
    });
  }
}

/** What a run may tell of each sample. */
const ENTRY_FLAGS = [0x100, 0x200, 0x400, 0x800] as const;

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

/** Whether they are there behind the version. */
function* hasTicks(feed: Feed): Generator<void, boolean> {
  return (yield* feed.need(8)) && (!isLong(feed) || (yield* feed.need(12)));
}

function ticksAt(feed: Feed, at: number): number {
  const ticks = isLong(feed) ? feed.u64(at) : feed.u32(at);
  // All ones: not known.
  return ticks >= (isLong(feed) ? 2 ** 63 : 0xffffffff) ? 0 : ticks;
}

/** Of two scales that are told the one by which it lasts longer; nobody can tell which is followed. */
const slower = (one: number, other: number): number =>
  one > 0 && other > 0 ? Math.min(one, other) : one || other;

/** What descriptions of sound stand in. */
const DESCRIBING = /^(stsd|entry|wave)$/;

function* enterTrack(
  feed: Feed,
  name: string,
  size: number,
  track: Track,
  around: Box,
): Generator<void, boolean> {
  switch (name) {
    case 'elst': {
      if (!(yield* feed.need(8))) return false;
      const long = isLong(feed);
      const bytes = long ? 20 : 12;
      const count = Math.floor((size - 8) / bytes);
      // Some readers go by the size of the box.
      if (feed.u32(4) !== count) track.whole = Number.POSITIVE_INFINITY;
      let ticks = 0;
      feed.skip(8);
      yield* feed.table(count, bytes, (at) => {
        ticks += long ? feed.u64(at) : feed.u32(at);
        const from = long ? feed.u64(at + 8) : feed.u32(at + 4);
        // Below 0: nothing is shown for so long.
        if (from < (long ? 2 ** 63 : 2 ** 31)) track.from = Math.min(track.from, from);
      });
      track.whole = Math.max(track.whole, ticks);
      return false;
    }
    case 'ctts': {
      if (!(yield* feed.need(8))) return false;
      const count = countIn(track, feed.u32(4), (size - 8) / 8);
      const next = readTimes(track);
      feed.skip(8);
      yield* feed.table(count, 8, (at) => {
        const [from, until] = next(feed.u32(at));
        showLater(track, from, until, feed.u32(at + 4));
      });
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
      yield* feed.table(count, 8, (at) => addTimes(track, feed.u32(at), feed.u32(at + 4)));
      return false;
    }
    case 'stsz':
    case 'stz2': {
      if (!(yield* feed.need(12))) return false;
      const count = feed.u32(8);
      const each = feed.u32(4);
      track.sized = Math.max(track.sized, count);
      // The other lists halves of bytes and such; no sound is known to be written so.
      if (name === 'stz2') {
        track.samples += count;
        track.bytes += Number.POSITIVE_INFINITY;
        track.unread += Number.POSITIVE_INFINITY;
      } else if (each > 0) addSamples(track, each, count);
      else {
        const listed = Math.min(count, Math.max((size - 12) / 4, 0));
        feed.skip(12);
        yield* feed.table(listed, 4, (at) => addSamples(track, feed.u32(at)));
      }
      return false;
    }
    default:
      if (track.isMixed || !DESCRIBING.test(around.name)) return false;
      return yield* enterDescription(feed, name, size, track);
  }
}
