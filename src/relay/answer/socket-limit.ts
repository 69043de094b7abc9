/**
 * Websockets that are open: so many of all callers, so many of one user, and of one network no more than it leaves for
 * others. Where there is no place, a session gives way that its upstream has not answered for long: only answers cost
 * anything, and who has none holds his place for nothing. Where all are answered, whoever has most gives way: by several
 * accounts at several networks nobody keeps others out, and who has one session keeps it as long as he is answered.
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
  /** Without an answer for so long, one may have to give way whoever's it is. */
  quietMs?: number;
}

/** A place that whoever comes may take. */
interface Place {
  readonly holder: Holder;
  readonly isQuiet: boolean;
  /** How many more places he has than who comes: his user, or far from him his network where that has more. */
  readonly more: number;
  readonly moreOfUser: number;
  readonly quietMs: number;
}

const isBefore = (one: Place, other: Place): boolean => {
  if (one.isQuiet !== other.isQuiet) return one.isQuiet;
  return (one.more - other.more || one.moreOfUser - other.moreOfUser || one.quietMs - other.quietMs) > 0;
};

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

  #takePlace(next: Holder): boolean {
    const got = this.#networks.take(next.network);
    if (got === 'taken') return true;
    const other = this.#whoGivesWay(next, got === 'full');
    if (!other) return false;
    this.#forget(other);
    this.#networks.pass(other.network, next.network);
    other.socket.giveWay();
    return true;
  }

  /**
   * What is quiet before what is answered, and of either the quietest of whoever has most, a user or a network, and within
   * a network of the user who has most. A network that has its share goes on by those of its own.
   */
  #whoGivesWay(next: Holder, isFull: boolean): Holder | undefined {
    let first: Place | undefined;
    for (const holder of this.#holders) {
      if (!isFull && holder.network !== next.network) continue;
      const place = this.#placeOf(holder, next);
      if (place && (!first || isBefore(place, first))) first = place;
    }
    return first?.holder;
  }

  /** Null for one that he keeps. */
  #placeOf(holder: Holder, next: Holder): Place | null {
    const { quietMs } = holder.socket;
    const isQuiet = quietMs >= this.#quietMs;
    const moreOfUser = this.#ofUser.of(holder.userId) - this.#ofUser.of(next.userId);
    const isNear = holder.network === next.network;
    const more = isNear ? moreOfUser : this.#most(holder) - this.#most(next);
    // What is quiet goes to whoever has no more; who is answered gives nothing to a user who would then have more than he.
    const isGiven = isQuiet ? more >= 0 : Math.min(more, moreOfUser) > 1;
    return isGiven ? { holder, isQuiet, more, moreOfUser, quietMs } : null;
  }

  /** All that his user has, or his network, whichever has more. */
  #most({ userId, network }: Holder): number {
    return Math.max(this.#ofUser.of(userId), this.#networks.of(network));
  }

  /** False for one that has gone already. */
  #forget(holder: Holder): boolean {
    if (!this.#holders.delete(holder)) return false;
    this.#ofUser.add(holder.userId, -1);
    return true;
  }
}
