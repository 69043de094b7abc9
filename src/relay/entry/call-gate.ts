/**
 * How many calls may be under way: each holds two sockets, its caller's and its upstream's, some fetch media before that,
 * and a process that has used up its file descriptors can reach neither its database nor its disk.
 */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { shareOfUser } from '../../core/share.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { answersWithin } from '../../platform/open-files.ts';
import { Places } from '../../platform/places.ts';

/** Calls that fit into so many open files; null where that is not known. */
export function callsWithin(openFiles: number | null): number {
  if (openFiles === null) return limits.openReservations;
  const { filesBesideCalls, inlineMediaAtOnce, inlineMediaSlowAtOnce } = limits;
  const { atOnce, kept } = answersWithin(openFiles);
  const beside = filesBesideCalls + inlineMediaAtOnce + inlineMediaSlowAtOnce + atOnce + kept;
  const sockets = Math.max(openFiles - beside, openFiles / 4);
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

  /** Throws OVERLOADED where there is no room, for anybody or for this one; else `release` must follow. */
  enter(ip: string): Slot {
    const network = turnSubject(ip);
    let who: string | null = take(this.#places, `network:${network}`);
    const give = () => {
      if (who !== null) this.#places.give(who);
      who = null;
    };
    let isOfNetwork = false;
    const release = () => {
      give();
      if (isOfNetwork) this.#networks.give(network);
      isOfNetwork = false;
    };
    /** Holds nothing of a call that is refused. */
    const orNothing = (places: Places<string>, name: string): string => {
      try {
        return take(places, name);
      } catch (error) {
        release();
        throw error;
      }
    };
    isOfNetwork = orNothing(this.#networks, network) === network;
    return {
      release,
      of: (userId) => {
        if (who === null) return;
        give();
        who = orNothing(this.#places, shareOfUser(userId));
      },
    };
  }
}

function take(places: Places<string>, who: string): string {
  const got = places.take(who);
  if (got === 'full') throw full('as many calls as there are files for');
  if (got === 'share-full') throw full('calls of one fill his share');
  return who;
}

const full = (internal: string) => fail('OVERLOADED', { internal, retryAfterSec: 2 });
