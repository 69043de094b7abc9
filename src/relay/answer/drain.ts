/** How many streams may be read on after their callers have left; the true usage is worth that much and no more. */
import { limits } from '../../core/limits.ts';
import { Places } from '../../platform/places.ts';
import { Tally } from '../../platform/tally.ts';

export class DrainGate {
  readonly #shared: Places<number>;
  /** Streams that are read to their end, by user. */
  readonly #toEnd = new Tally<number>();
  #open = 0;

  constructor(
    most: number = limits.drainsAtOnce,
    readonly toEndOfOne: number = limits.drainsToEndOfOne,
  ) {
    this.#shared = new Places(most, limits.drainsOfOneShare);
  }

  get open(): number {
    return this.#open;
  }

  /**
   * True when there was room for one more of this user's; then `leave` must follow. What is cut before its end costs its
   * caller as it was held where that alone tells what it took: of such streams nobody's places depend on others, and it is
   * the places for calls, of which each keeps its own, that bound them all.
   */
  enter(userId: number, toEnd: boolean): boolean {
    const isIn = toEnd ? this.#toEnd.of(userId) < this.toEndOfOne : this.#shared.take(userId) === 'taken';
    if (!isIn) return false;
    if (toEnd) this.#toEnd.add(userId, 1);
    this.#open++;
    return true;
  }

  leave(userId: number, toEnd: boolean): void {
    this.#open--;
    if (toEnd) this.#toEnd.add(userId, -1);
    else this.#shared.give(userId);
  }
}

/** How far a stream is read on. */
export interface ReadOn {
  /** 0: not at all. */
  ms: number;
  /** Absent where no bytes bound it. */
  bytes?: number;
  /** Only its end tells what it took. */
  toEnd?: boolean;
}

/** Reading on for one caller who has left: one place and one deadline, whoever reads. */
export class Drain {
  #isOpen = false;
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leftBytes: number;

  constructor(
    readonly gate: DrainGate,
    readonly userId: number,
    readonly readOn: ReadOn,
  ) {
    this.#leftBytes = readOn.bytes ?? Number.POSITIVE_INFINITY;
  }

  /**
   * True when the upstream may be read on, from the first call for so long; then `end` must follow. Who has called last
   * is told when the time is over.
   */
  begin(onOver: () => void): boolean {
    if (!this.#isOpen) {
      if (this.readOn.ms === 0 || !this.gate.enter(this.userId, this.#toEnd)) return false;
      this.#isOpen = true;
      this.#until = performance.now() + this.readOn.ms;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(onOver, this.leftMs);
    return true;
  }

  /** Milliseconds that are left of it. */
  get leftMs(): number {
    return Math.max(this.#until - performance.now(), 0);
  }

  /** So many bytes have come; false when they are more than may be read. */
  take(bytes: number): boolean {
    this.#leftBytes -= bytes;
    return this.#leftBytes >= 0;
  }

  /** May be called twice, and without a beginning. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) this.gate.leave(this.userId, this.#toEnd);
    this.#isOpen = false;
  }

  get #toEnd(): boolean {
    return this.readOn.toEnd === true;
  }
}
