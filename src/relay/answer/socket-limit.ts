/**
 * Websockets that are open: so many of all callers, so many of one user, and of one network no more than it leaves for
 * others, so that nobody takes every one, however many accounts he has. Where there is no place, the session that has
 * waited longest for an answer of its upstream's gives way: only answers cost anything, and who has none holds it for nothing.
 * Their number is also what bounds the memory of messages that are still coming, see `limits.socketsAtOnce`.
 */
import { limits } from '../../core/limits.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { Places } from '../../platform/places.ts';
import { Tally } from '../../platform/tally.ts';

/** What is open on a socket. */
export interface OpenSocket {
  /** For so many milliseconds its upstream has answered nothing that is paid for. */
  readonly quietMs: number;
  /** Its place is another's. Must not throw. */
  giveWay(): void;
}

interface Holder {
  readonly userId: number;
  readonly network: string;
  readonly socket: OpenSocket;
}

export interface SocketBounds {
  mostOfUser?: number;
  /** How long nothing may be said or asked on one. */
  idleMs?: number;
  /** None gives way that was answered within so long. */
  quietMs?: number;
}

export class SocketLimit {
  readonly #networks: Places<string>;
  readonly #ofUser = new Tally<number>();
  readonly #holders = new Set<Holder>();
  readonly #mostOfUser: number;
  readonly #quietMs: number;
  readonly idleMs: number;

  constructor(most: number = limits.socketsAtOnce, bounds: SocketBounds = {}) {
    this.#networks = new Places(most, limits.socketsOfNetworkShare);
    this.#mostOfUser = bounds.mostOfUser ?? limits.socketsOfUser;
    this.#quietMs = bounds.quietMs ?? limits.sessionQuietMs;
    this.idleMs = bounds.idleMs ?? limits.sessionIdleMs;
  }

  get open(): number {
    return this.#networks.taken;
  }

  /** What gives the place back, once; null where there is none. */
  enter({ userId, ip }: { userId: number; ip: string }, socket: OpenSocket): (() => void) | null {
    const holder: Holder = { userId, network: turnSubject(ip), socket };
    if (this.#ofUser.of(userId) >= this.#mostOfUser || !this.#takePlace(holder)) return null;
    this.#holders.add(holder);
    this.#ofUser.add(userId, 1);
    return () => {
      if (this.#forget(holder)) this.#networks.give(holder.network);
    };
  }

  #takePlace({ network }: Holder): boolean {
    const got = this.#networks.take(network);
    if (got === 'taken') return true;
    const other = this.#quietest(
      (of) => of === network || (got === 'full' && this.#mayTakeFrom(of, network)),
    );
    if (!other) return false;
    this.#forget(other);
    this.#networks.pass(other.network, network);
    other.socket.giveWay();
    return true;
  }

  /** Whoever has no more than oneself keeps it. */
  #mayTakeFrom(other: string, network: string): boolean {
    return this.#networks.of(other) > this.#networks.of(network);
  }

  #quietest(mayBeOf: (network: string) => boolean): Holder | null {
    let found: Holder | null = null;
    let longest = this.#quietMs;
    for (const holder of this.#holders) {
      const { quietMs } = holder.socket;
      if (quietMs < longest || !mayBeOf(holder.network)) continue;
      found = holder;
      longest = quietMs;
    }
    return found;
  }

  /** False for one that has gone already. */
  #forget(holder: Holder): boolean {
    if (!this.#holders.delete(holder)) return false;
    this.#ofUser.add(holder.userId, -1);
    return true;
  }
}
