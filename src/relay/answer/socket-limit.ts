/** Websockets that are open: so many of all callers, and so many of one user, so that nobody takes every one. */
import { limits } from '../../core/limits.ts';

export class SocketLimit {
  #open = 0;
  readonly #of = new Map<number, number>();

  constructor(
    readonly most: number = limits.socketsAtOnce,
    readonly mostOfUser: number = limits.socketsOfUser,
  ) {}

  get open(): number {
    return this.#open;
  }

  /** True when there was room; then `leave` must follow. */
  enter(userId: number): boolean {
    const own = this.#of.get(userId) ?? 0;
    if (this.#open >= this.most || own >= this.mostOfUser) return false;
    this.#open++;
    this.#of.set(userId, own + 1);
    return true;
  }

  leave(userId: number): void {
    const left = (this.#of.get(userId) ?? 0) - 1;
    if (left > 0) this.#of.set(userId, left);
    else this.#of.delete(userId);
    this.#open--;
  }
}
