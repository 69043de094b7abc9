/**
 * Websockets that are open: so many of all callers, so many of one user, and of one network no more than it leaves for
 * others, so that nobody takes every one, however many accounts he has.
 */
import { limits } from '../../core/limits.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { Places } from '../../platform/places.ts';

export class SocketLimit {
  readonly #networks: Places<string>;
  readonly #of = new Map<number, number>();

  constructor(
    most: number = limits.socketsAtOnce,
    readonly mostOfUser: number = limits.socketsOfUser,
    /** How long nothing may be said or asked on one. */
    readonly idleMs: number = limits.sessionIdleMs,
  ) {
    this.#networks = new Places(most, limits.socketsOfNetworkShare);
  }

  get open(): number {
    return this.#networks.taken;
  }

  /** What gives the place back, once; null where there is none. */
  enter({ userId, ip }: { userId: number; ip: string }): (() => void) | null {
    const network = turnSubject(ip);
    const own = this.#of.get(userId) ?? 0;
    if (own >= this.mostOfUser || this.#networks.take(network) !== 'taken') return null;
    this.#of.set(userId, own + 1);
    return () => {
      this.#networks.give(network);
      const left = (this.#of.get(userId) ?? 0) - 1;
      if (left > 0) this.#of.set(userId, left);
      else this.#of.delete(userId);
    };
  }
}
