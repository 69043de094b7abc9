/** The bytes of a file as they come, read forwards once: what is left of a piece waits for the next. */
import { bufferOf } from '../bytes.ts';
import { MeasuringBudget } from '../measuring-budget.ts';

const NONE = Buffer.alloc(0);

/** The bytes of a word that is looked for. */
const WORD = 4;

/** What a file's own frames and its headers say of its length. */
export interface Found {
  /** Seconds of the sound that lies there, by frames or by bytes. */
  walked: number;
  /** Seconds that headers claim; 0 where none does. */
  told: number;
  /** Bytes of the sound, where the file may hold a picture too; the whole file where it is absent. */
  bytes?: number;
  /** Seconds to the end of what is shown, by the longest of all claims; absent of a format that holds no film. */
  shown?: number;
}

/** The size of what goes on to the end: more than any file has, and sums of it are exact. */
export const REST = 2 ** 50;

/** Silence in the leanest codecs takes more; what a header claims beyond that cannot be in the file. */
export const LEAST_BYTES_A_SECOND = 25;

/** MP3 has no slower rate, and speech in Opus or AMR seldom one. */
export const SLOWEST_BYTES_A_SECOND = 1000;

/**
 * Of real files each step passes over more than so many bytes, beside those for tables and heads at the beginning, which
 * the budget pays for; what stands still is there to keep us busy.
 */
const BYTES_A_STEP = 8;
/** The same of films, whose steps take longer: a third of a microsecond. */
export const FILM_BYTES_A_STEP = 96;
/** Of a look for a byte that may be anywhere. */
const STEPS_A_SEARCH = 2;
/** Twice what each pays: a file may be filled up, but not for the most part. */
const STEPS_A_FILLED_BYTE = 0.25;
/** Of what a file has a handful of, and which takes long to read. */
export const STEPS_A_CHUNK = 16;

/** Nobody's film has more; each is kept until the end. */
export const TRACKS_MOST = 256;

/** So many entries of a table take no longer than a step. */
const ENTRIES_A_STEP = 4;

/** Reads a file of one format; null for one that is none. */
export type Walk = Generator<void, Found | null>;

/**
 * Thrown where a file is not written as every reader reads it alike, as what one of them finds is not known; and where its
 * own sizes are believed and lead beyond what is there.
 */
export class Untold extends Error {}

/** Positions are relative to where the reader stands; what is read must be there by `has` or `need`. */
export class Feed {
  #view: Buffer = NONE;
  #at = 0;
  /** Bytes before the view. */
  #before = 0;
  #hasEnded = false;
  #taken = 0;
  #takenTo = 0;
  #steps = 0;
  /** Steps that the budget paid for. */
  #paid = 0;
  /** How many bytes pay for a step. */
  bytesAStep = BYTES_A_STEP;

  constructor(readonly budget = new MeasuringBudget()) {}

  /** Where the reader stands in the file; beyond its end after a skip that was too far. */
  get position(): number {
    return this.#before + this.#at;
  }

  /** How much has come. */
  get total(): number {
    return this.#before + this.#view.length;
  }

  push(piece: Uint8Array): void {
    const next = bufferOf(piece);
    const left = this.#view.length - this.#at;
    this.#before += left > 0 ? this.#at : this.#view.length;
    this.#at = Math.max(-left, 0);
    this.#view = left > 0 ? Buffer.concat([this.#view.subarray(-left), next]) : next;
  }

  end(): void {
    this.#hasEnded = true;
  }

  has(bytes: number): boolean {
    return this.#at + bytes <= this.#view.length;
  }

  /** Waits until so many bytes are there; false when the file ends before. `bytes` must be bounded: they are kept. */
  *need(bytes: number): Generator<void, boolean> {
    while (!this.has(bytes)) {
      if (this.#hasEnded) return false;
      yield;
    }
    return true;
  }

  skip(bytes: number): void {
    this.step();
    this.#at += bytes;
  }

  /** Goes on to a position, as a part of a step that is counted already. */
  goTo(position: number): void {
    this.#at = Math.max(position - this.#before, this.#at);
  }

  /** What is looked at beside that. */
  step(count = 1): void {
    this.#steps += count;
    const beyond = Math.ceil(this.#steps - this.total / this.bytesAStep);
    if (beyond <= this.#paid) return;
    this.budget.spend(beyond - this.#paid);
    this.#paid = beyond;
  }

  /** Reads a table of entries of so many bytes each, at its position; what the file has no more of is left out. */
  *table(count: number, bytes: number, read: (at: number) => void): Generator<void, void> {
    for (let left = Math.floor(count); left > 0; left -= ENTRIES_A_STEP) {
      const some = Math.min(left, ENTRIES_A_STEP);
      const isThere = this.has(some * bytes) || (yield* this.need(some * bytes));
      const there = isThere ? some : Math.floor((this.total - this.position) / bytes);
      for (let n = 0; n < there; n++) read(n * bytes);
      this.skip(Math.max(there, 0) * bytes);
      if (!isThere) return;
    }
  }

  /** Whether one of these words stands in so many bytes, as far as they have come. */
  holds(words: readonly Buffer[], bytes: number): boolean {
    const left = this.#view.subarray(this.#at, this.#at + bytes);
    return words.some((word) => left.includes(word));
  }

  /** Goes on to a position: whether the file has it, and whether one of these words stands before it. */
  *lookThrough(
    end: number,
    words: readonly Buffer[],
  ): Generator<void, { isThere: boolean; isHiding: boolean }> {
    let isHiding = false;
    for (;;) {
      isHiding ||= this.holds(words, end - this.position);
      if (end <= this.total || this.#hasEnded) break;
      // A word may have begun at the end of what is there.
      this.#at = Math.max(this.#at, this.#view.length - WORD + 1);
      yield;
    }
    const isThere = end <= this.total;
    if (isThere) this.goTo(end);
    return { isThere, isHiding };
  }

  /** Passes over so many bytes of sound. */
  take(bytes: number): void {
    this.#taken += bytes;
    this.skip(bytes);
    this.#takenTo = this.position;
  }

  /** Bytes of sound that were passed over and are there: what was taken last may be cut. */
  get taken(): number {
    return this.#taken - Math.max(this.#takenTo - this.total, 0);
  }

  u8(at: number): number {
    return this.#view[this.#at + at] ?? 0;
  }

  u16(at: number): number {
    return this.#view.readUInt16BE(this.#placeOf(at, 2));
  }

  u32(at: number): number {
    return this.#view.readUInt32BE(this.#placeOf(at, 4));
  }

  u64(at: number): number {
    return this.u32(at) * 2 ** 32 + this.u32(at + 4);
  }

  f32(at: number): number {
    return this.#view.readFloatBE(this.#placeOf(at, 4));
  }

  f64(at: number): number {
    return this.#view.readDoubleBE(this.#placeOf(at, 8));
  }

  u16le(at: number): number {
    return this.#view.readUInt16LE(this.#placeOf(at, 2));
  }

  u32le(at: number): number {
    return this.#view.readUInt32LE(this.#placeOf(at, 4));
  }

  /** In the view, of a number of so many bytes. */
  #placeOf(at: number, bytes: number): number {
    if (!this.has(at + bytes)) throw new Untold();
    return this.#at + at;
  }

  isWord(at: number, word: string): boolean {
    for (let n = 0; n < word.length; n++) if (this.u8(at + n) !== word.charCodeAt(n)) return false;
    return true;
  }

  word(at: number, length: number): string {
    return this.#view.toString('latin1', this.#at + at, this.#at + at + length);
  }

  /** A copy. */
  bytes(at: number, length: number): Buffer {
    return Buffer.from(this.#view.subarray(this.#at + at, this.#at + at + length));
  }

  /** Goes on to this byte, from the one after the present; to the end of what is there, or to a position, when none has come. */
  find(wanted: number, end: number): void {
    this.step();
    const view = this.#view;
    const stop = Math.min(view.length, end - this.#before);
    let at = this.#at + 1;
    while (at < stop && view[at] !== wanted) at++;
    this.#at = at;
  }

  /** The same for a word. */
  findWord(word: string): void {
    this.step();
    const at = this.has(1) ? this.#view.indexOf(word, this.#at + 1, 'latin1') : -1;
    // The word may have begun at the end of what is there.
    this.#at = at >= 0 ? at : Math.max(this.#at, this.#view.length - word.length) + 1;
  }

  /** Goes on to where a frame of MPEG may begin: at eleven bits that are set, but not where all are that follow. */
  findSync(): void {
    this.step();
    const view = this.#view;
    let at = this.#at + 1;
    for (; ; at++) {
      if (view[at] !== 0xff) {
        this.step(STEPS_A_SEARCH);
        const found = view.indexOf(0xff, at);
        at = found < 0 ? view.length : found;
      }
      // The rest of it may come.
      if (at + 2 >= view.length) break;
      if (((view[at + 1] ?? 0) & 0xe0) !== 0xe0) continue;
      if (view[at + 2] !== 0xff) break;
      this.step(STEPS_A_FILLED_BYTE);
    }
    this.#at = at;
  }
}
