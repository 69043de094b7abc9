/**
 * How many calls may be under way: each holds two sockets, its caller's and its upstream's, and a process that has used
 * up its file descriptors can reach neither its database nor its disk.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

/** Calls that fit into so many open files; null where that is not known. */
export function callsWithin(openFiles: number | null): number {
  if (openFiles === null) return limits.openReservations;
  const sockets = Math.max(openFiles - limits.filesBesideCalls, openFiles / 4);
  return Math.max(1, Math.min(Math.floor(sockets / 2), limits.openReservations));
}

export class CallGate {
  #open = 0;

  constructor(readonly most: number) {}

  get open(): number {
    return this.#open;
  }

  /** Throws OVERLOADED where there is no room; else `release` must follow, and only its first call counts. */
  enter(): { release(): void } {
    if (this.#open >= this.most) {
      throw fail('OVERLOADED', { internal: 'as many calls as there are files for', retryAfterSec: 2 });
    }
    this.#open++;
    let isOver = false;
    return {
      release: () => {
        if (!isOver) this.#open--;
        isOver = true;
      },
    };
  }
}
