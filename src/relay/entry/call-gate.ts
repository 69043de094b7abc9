/**
 * How many calls may be under way: each holds two sockets, its caller's and its upstream's, and a process that has used
 * up its file descriptors can reach neither its database nor its disk.
 */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { turnSubject } from '../../platform/limiter.ts';

/** Calls that fit into so many open files; null where that is not known. */
export function callsWithin(openFiles: number | null): number {
  if (openFiles === null) return limits.openReservations;
  const sockets = Math.max(openFiles - limits.filesBesideCalls, openFiles / 4);
  return Math.max(1, Math.min(Math.floor(sockets / 2), limits.openReservations));
}

/** One call's slot among those under way. */
export interface Slot {
  /** It is this user's from now on, and counts to his share. Throws OVERLOADED where that is full. */
  of(userId: number): void;
  /** Only the first call counts. */
  release(): void;
}

export class CallGate {
  #open = 0;
  /** By whose they are, a user or, before he is known, a network. */
  readonly #ofOne = new Map<string, number>();

  constructor(readonly most: number) {}

  get open(): number {
    return this.#open;
  }

  /** Throws OVERLOADED where there is no room, for anybody or for this one; else `release` must follow. */
  enter(ip: string): Slot {
    let who: string | null = this.#take(`network:${turnSubject(ip)}`);
    const release = () => {
      if (who !== null) this.#give(who);
      who = null;
    };
    return {
      release,
      of: (userId) => {
        if (who === null) return;
        release();
        who = this.#take(`user:${userId}`);
      },
    };
  }

  #take(who: string): string {
    const own = this.#ofOne.get(who) ?? 0;
    const left = this.most - (this.#open - own);
    if (this.#open >= this.most) throw full('as many calls as there are files for');
    if (own >= Math.max(1, Math.floor(left * limits.callsOfOneShare)))
      throw full('calls of one fill his share');
    this.#ofOne.set(who, own + 1);
    this.#open++;
    return who;
  }

  #give(who: string): void {
    this.#open--;
    const left = (this.#ofOne.get(who) ?? 0) - 1;
    if (left > 0) this.#ofOne.set(who, left);
    else this.#ofOne.delete(who);
  }
}

const full = (internal: string) => fail('OVERLOADED', { internal, retryAfterSec: 2 });
