/**
 * The third packet of Vorbis (Vorbis I specification, 4.2.4), at whose end the modes stand. Everything before them is as
 * long as it says, and may look like modes from behind, so that it is read as decoders do. What none of them can read tells
 * nothing.
 */
import type { MeasuringBudget } from '../measuring-budget.ts';
import { Untold } from './feed.ts';

export interface Modes {
  /** Bits in which a packet names its mode. */
  bits: number;
  /** Of each mode: whether its block is the long one. */
  isLong: readonly boolean[];
}

const START = Buffer.from('\x05vorbis', 'latin1');

export function modesIn(packet: Buffer, channels: number, budget: MeasuringBudget): Modes {
  if (!packet.subarray(0, START.length).equals(START)) throw new Untold();
  const bits = new Bits(packet.subarray(START.length), budget);
  each(bits, 8, skipBook);
  // Times, which are not used.
  each(bits, 6, () => bits.read(16));
  each(bits, 6, skipFloor);
  each(bits, 6, skipResidue);
  each(bits, 6, () => skipMapping(bits, channels));
  const isLong: boolean[] = [];
  each(bits, 6, () => {
    isLong.push(bits.read(1) === 1);
    if (bits.read(16) !== 0 || bits.read(16) !== 0) throw new Untold();
    bits.read(8);
  });
  if (bits.read(1) !== 1) throw new Untold();
  return { bits: bitsOf(isLong.length - 1), isLong };
}

/** As many times as so many bits tell, which is once more than their number. */
function each(bits: Bits, count: number, read: (bits: Bits) => void): void {
  for (let left = bits.read(count) + 1; left > 0; left--) read(bits);
}

/** How many bits a number takes. */
const bitsOf = (value: number): number => 32 - Math.clz32(value);

const BOOK_START = 0x564342;

function skipBook(bits: Bits): void {
  if (bits.read(24) !== BOOK_START) throw new Untold();
  const dimensions = bits.read(16);
  const entries = bits.read(24);
  if (bits.read(1) === 1) skipOrdered(bits, entries);
  else if (bits.read(1) === 0) bits.skip(5 * entries);
  else for (let left = entries; left > 0; left--) if (bits.read(1) === 1) bits.skip(5);
  const lookup = bits.read(4);
  if (lookup === 0) return;
  bits.skip(2 * 32);
  const size = bits.read(4) + 1;
  bits.skip(1);
  if (lookup > 2) throw new Untold();
  bits.skip(size * (lookup === 1 ? valuesOf(entries, dimensions) : entries * dimensions));
}

/** How many entries have each length, one behind another. */
function skipOrdered(bits: Bits, entries: number): void {
  bits.skip(5);
  for (let left = entries; left > 0; ) left -= bits.read(bitsOf(left));
}

/** The largest number of which so many multiplied are not more than the entries. */
function valuesOf(entries: number, dimensions: number): number {
  if (dimensions === 0) throw new Untold();
  const root = Math.floor(entries ** (1 / dimensions));
  return (root + 1) ** dimensions <= entries ? root + 1 : root;
}

function skipFloor(bits: Bits): void {
  const kind = bits.read(16);
  if (kind > 1) throw new Untold();
  if (kind === 0) {
    bits.skip(8 + 16 + 16 + 6 + 8);
    each(bits, 4, () => bits.skip(8));
    return;
  }
  const partitions = Array.from({ length: bits.read(5) }, () => bits.read(4));
  const dimensions = Array.from({ length: Math.max(-1, ...partitions) + 1 }, () => {
    const told = bits.read(3) + 1;
    const subclasses = bits.read(2);
    bits.skip((subclasses > 0 ? 8 : 0) + 8 * 2 ** subclasses);
    return told;
  });
  bits.skip(2);
  const size = bits.read(4);
  for (const each of partitions) bits.skip((dimensions[each] ?? 0) * size);
}

function skipResidue(bits: Bits): void {
  if (bits.read(16) > 2) throw new Untold();
  bits.skip(3 * 24);
  const classes = bits.read(6) + 1;
  bits.skip(8);
  let books = 0;
  for (let left = classes; left > 0; left--) {
    books += onesIn(bits.read(3));
    if (bits.read(1) === 1) books += onesIn(bits.read(5));
  }
  bits.skip(8 * books);
}

const onesIn = (value: number): number => value.toString(2).replaceAll('0', '').length;

function skipMapping(bits: Bits, channels: number): void {
  if (bits.read(16) !== 0) throw new Untold();
  const parts = bits.read(1) === 1 ? bits.read(4) + 1 : 1;
  if (bits.read(1) === 1) each(bits, 8, () => bits.skip(2 * bitsOf(channels - 1)));
  if (bits.read(2) !== 0) throw new Untold();
  if (parts > 1) bits.skip(4 * channels);
  bits.skip(parts * 3 * 8);
}

/** So many numbers take as long as a mark. */
const READS_A_MARK = 16;

/** Numbers of any bits, the lowest of each first. */
class Bits {
  #at = 0;
  #reads = 0;

  constructor(
    readonly bytes: Buffer,
    readonly budget: MeasuringBudget,
  ) {}

  skip(count: number): void {
    this.#at += count;
    if (this.#at > 8 * this.bytes.length) throw new Untold();
  }

  read(count: number): number {
    if (++this.#reads % READS_A_MARK === 0) this.budget.spend(1);
    const from = this.#at;
    this.skip(count);
    let value = 0;
    for (let at = from >> 3; at << 3 < this.#at; at++)
      value += (this.bytes[at] ?? 0) * 2 ** (8 * (at - (from >> 3)));
    return Math.floor(value / 2 ** (from & 7)) % 2 ** count;
  }
}
