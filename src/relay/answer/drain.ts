/** How many streams may be read on after their callers have left; the true usage is worth that much and no more. */
import { limits } from '../../core/limits.ts';

export class DrainGate {
  #open = 0;

  constructor(readonly most: number = limits.drainsAtOnce) {}

  get open(): number {
    return this.#open;
  }

  /** True when there was room; then `leave` must follow. */
  enter(): boolean {
    if (this.#open >= this.most) return false;
    this.#open++;
    return true;
  }

  leave(): void {
    this.#open--;
  }
}

/** Reading on for one caller who has left: one place and one deadline, whoever reads. */
export class Drain {
  #isOpen = false;
  #until = 0;

  /** `ms` 0: not at all. */
  constructor(
    readonly gate: DrainGate,
    readonly ms: number,
  ) {}

  /** True when the upstream may be read on, from the first call for so long; then `end` must follow. */
  begin(): boolean {
    if (this.#isOpen) return true;
    if (this.ms === 0 || !this.gate.enter()) return false;
    this.#isOpen = true;
    this.#until = performance.now() + this.ms;
    return true;
  }

  /** Milliseconds that are left of it. */
  get leftMs(): number {
    return Math.max(this.#until - performance.now(), 0);
  }

  /** May be called twice, and without a beginning. */
  end(): void {
    if (this.#isOpen) this.gate.leave();
    this.#isOpen = false;
  }
}
