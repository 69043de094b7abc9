/** How many streams may be read on after their callers have left; the true usage is worth that much and no more. */
import { limits } from '../../core/limits.ts';
import { Places } from '../../platform/places.ts';

export class DrainGate {
  readonly #places: Places<number>;

  constructor(most: number = limits.drainsAtOnce) {
    this.#places = new Places(most, limits.drainsOfOneShare);
  }

  get open(): number {
    return this.#places.taken;
  }

  /** True when there was room for one more of this user's; then `leave` must follow. */
  enter(userId: number): boolean {
    return this.#places.take(userId) === 'taken';
  }

  leave(userId: number): void {
    this.#places.give(userId);
  }
}

/** How far a stream is read on. */
export interface ReadOn {
  /** 0: not at all. */
  ms: number;
  bytes: number;
}

/** Reading on for one caller who has left: one place and one deadline, whoever reads. */
export class Drain {
  #isOpen = false;
  #until = 0;
  #leftBytes: number;

  constructor(
    readonly gate: DrainGate,
    readonly userId: number,
    readonly readOn: ReadOn,
  ) {
    this.#leftBytes = readOn.bytes;
  }

  /** True when the upstream may be read on, from the first call for so long; then `end` must follow. */
  begin(): boolean {
    if (this.#isOpen) return true;
    if (this.readOn.ms === 0 || !this.gate.enter(this.userId)) return false;
    this.#isOpen = true;
    this.#until = performance.now() + this.readOn.ms;
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
    if (this.#isOpen) this.gate.leave(this.userId);
    this.#isOpen = false;
  }
}
