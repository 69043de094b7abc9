/**
 * The bytes of a caller's file, of which nobody sees any without paying for them. They are looked through for words alone,
 * which is as quick whatever stands there; patterns are for the few letters that stand around a word. So no look can be
 * forgotten, and none takes longer than it has paid for.
 */
import { constants, inflateSync } from 'node:zlib';
import type { MeasuringBudget } from './measuring-budget.ts';

/** So many bytes take as long as a mark: to look through for a word, to go through one by one, and to unpack. */
const LOOKED_A_MARK = 4096;
const WALKED_A_MARK = 192;
const UNPACKED_A_MARK = 96;
/** Of a mark, what a look takes that has nothing to go through. */
const A_LOOK = 1 / 8;

/** A match of 258 bytes may take two bits (RFC 1951, 3.2.5). */
const DEFLATE_TIMES_MOST = 1032;

/** Letters that a pattern may be given: what it does with them takes no longer than a mark or two. */
const NEAR_MOST = 256;

const LINE_END = Buffer.from('\n');

export class PaidBytes {
  readonly #bytes: Buffer;
  readonly #budget: MeasuringBudget;

  constructor(bytes: Buffer, budget: MeasuringBudget) {
    this.#bytes = bytes;
    this.#budget = budget;
  }

  static joined(parts: readonly PaidBytes[], budget: MeasuringBudget): PaidBytes {
    budget.spend(parts.reduce((sum, { length }) => sum + length, 0) / LOOKED_A_MARK);
    return new PaidBytes(Buffer.concat(parts.flatMap((part) => [part.#bytes, LINE_END])), budget);
  }

  get length(): number {
    return this.#bytes.length;
  }

  cut(from: number, to?: number): PaidBytes {
    return new PaidBytes(this.#bytes.subarray(from, to), this.#budget);
  }

  /** Where a word stands next; -1 where it does not. */
  find(word: Buffer, from = 0): number {
    const at = this.#bytes.indexOf(word, from);
    this.#payForLook((at < 0 ? this.length : at) - from);
    return at;
  }

  /** Where a word stood last before `to`; -1 where it did not. */
  findLast(word: Buffer, to = this.length): number {
    const at = this.#bytes.subarray(0, to).lastIndexOf(word);
    this.#payForLook(to - Math.max(at, 0));
    return at;
  }

  /** Where a word stands, each time. */
  *places(word: Buffer, from = 0): Generator<number> {
    for (let at = this.find(word, from); at >= 0; at = this.find(word, at + word.length)) yield at;
  }

  /** The letters that stand at a place, as far as there are so many. */
  near(from: number, letters: number): string {
    this.#budget.spend(1);
    const to = from + Math.min(letters, NEAR_MOST);
    return this.#bytes.toString('latin1', Math.max(from, 0), Math.max(to, 0));
  }

  /** Goes through all of them, one by one; `next` is 0 behind the last. */
  walk(visit: (code: number, next: number) => void): void {
    this.#budget.spend(this.length / WALKED_A_MARK + A_LOOK);
    const bytes = this.#bytes;
    for (let at = 0; at < bytes.length; at++) visit(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  }

  /** With other bytes at these places, which are in order and lie apart. */
  replaced(places: readonly { from: number; to: number; by: number }[]): PaidBytes {
    if (places.length === 0) return this;
    this.#payForLook(this.length);
    let at = 0;
    const pieces = places.flatMap(({ from, to, by }) => {
      const piece = this.#bytes.subarray(at, from);
      at = to;
      return [piece, Buffer.of(by)];
    });
    return new PaidBytes(Buffer.concat([...pieces, this.#bytes.subarray(at)]), this.#budget);
  }

  /** By `deflate`, of which ends of lines may follow. Throws OverBudget where there is more than is paid for. */
  unpacked(): PaidBytes {
    const most = Math.floor(this.#budget.left * UNPACKED_A_MARK);
    const bytes = most > 0 ? inflated(this.#bytes, most) : TOO_MUCH;
    if (bytes instanceof Buffer) {
      this.#budget.spend(bytes.length / UNPACKED_A_MARK);
      return new PaidBytes(bytes, this.#budget);
    }
    // What does not fit has been unpacked too, and of what breaks nobody is told how much was.
    const unpacked = bytes === TOO_MUCH ? Number.POSITIVE_INFINITY : this.length * DEFLATE_TIMES_MOST;
    this.#budget.spend(unpacked / UNPACKED_A_MARK);
    throw bytes;
  }

  #payForLook(bytes: number): void {
    this.#budget.spend(Math.max(bytes, 0) / LOOKED_A_MARK + A_LOOK);
  }
}

const TOO_MUCH = new Error('more than is paid for');

/** What stands in its place: TOO_MUCH, or what zlib says of bytes that are none of its own. */
function inflated(packed: Buffer, maxOutputLength: number): Buffer | Error {
  try {
    return inflateSync(packed, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? TOO_MUCH : error;
  }
}
