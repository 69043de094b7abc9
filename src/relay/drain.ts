/** How many streams may be read on after their callers have left; the true usage is worth that much and no more. */
import { limits } from '../core/limits.ts';

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
