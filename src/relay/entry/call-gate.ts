/**
 * How many calls may be under way: each holds two sockets, its caller's and its upstream's, some fetch media before that,
 * and a process that has used up its file descriptors can reach neither its database nor its disk. While its body comes, a
 * call has no place here: see `ComingBodies`.
 */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { shareOfUser } from '../../core/share.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { answersWithin, bodiesWithin } from '../../platform/open-files.ts';
import { Places } from '../../platform/places.ts';

/** Calls that fit into so many open files; null where that is not known. */
export function callsWithin(openFiles: number | null): number {
  if (openFiles === null) return limits.openReservations;
  const { filesBesideCalls, inlineMediaAtOnce, inlineMediaSlowAtOnce } = limits;
  const { atOnce, kept } = answersWithin(openFiles);
  const bodies = bodiesWithin(openFiles);
  const beside =
    filesBesideCalls +
    inlineMediaAtOnce +
    inlineMediaSlowAtOnce +
    atOnce +
    kept +
    bodies.calls +
    bodies.console;
  const sockets = Math.max(openFiles - beside, openFiles / 4);
  return Math.max(1, Math.min(Math.floor(sockets / 2), limits.openReservations));
}

/** One call's slot among those under way. */
export interface Slot {
  /** It is others' until `of` is called, where there is one then. */
  wait(): void;
  /** It is this user's from now on, and counts to his share. Throws OVERLOADED where that is full. */
  of(userId: number): void;
  /** Nothing takes it again behind this. */
  release(): void;
}

export class CallGate {
  /** By whose they are, a user or, before he is known, a network. */
  readonly #places: Places<string>;
  /** The same calls by their networks: who has many accounts has one share, and his neighbours some of it. */
  readonly #networks: Places<string>;

  constructor(readonly most: number) {
    this.#places = new Places(most, limits.callsOfOneShare);
    this.#networks = new Places(most, limits.callsOfNetworkShare);
  }

  get open(): number {
    return this.#places.taken;
  }

  get free(): number {
    return this.most - this.open;
  }

  /** Throws OVERLOADED where there is no room, for anybody or for this one; else `release` must follow. */
  enter(ip: string): Slot {
    const network = turnSubject(ip);
    let who: string | null = null;
    let isOver = false;
    const wait = () => {
      if (who === null) return;
      this.#places.give(who);
      this.#networks.give(network);
      who = null;
    };
    /** Holds nothing where one of both is full. */
    const takeFor = (name: string) => {
      take(this.#places, name);
      try {
        take(this.#networks, network);
      } catch (error) {
        this.#places.give(name);
        throw error;
      }
      who = name;
    };
    takeFor(`network:${network}`);
    return {
      wait,
      of: (userId) => {
        wait();
        if (!isOver) takeFor(shareOfUser(userId));
      },
      release: () => {
        wait();
        isOver = true;
      },
    };
  }
}

function take(places: Places<string>, who: string): void {
  const got = places.take(who);
  if (got === 'full') throw full('as many calls as there are files for');
  if (got === 'share-full') throw full('calls of one fill his share');
}

const full = (internal: string) => fail('OVERLOADED', { internal, retryAfterSec: 2 });
