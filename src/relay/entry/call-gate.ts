/**
 * How many calls may be under way: each holds two sockets, its caller's and its upstream's, some fetch media before that,
 * and a process that has used up its file descriptors can reach neither its database nor its disk. While its body comes, a
 * call has no place here: see `ComingBodies`. Whose reader stands still gives his place to who finds none.
 */
import { limits } from '../../core/limits.ts';
import { shareOfUser } from '../../core/share.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { answersWithin, bodiesWithin } from '../../platform/open-files.ts';
import { overloaded } from '../../platform/overloaded.ts';
import { Places } from '../../platform/places.ts';
import type { StandsStill } from '../../platform/reader-pace.ts';
import { StandingStill } from '../../platform/standing-still.ts';

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
  /** It is this user's from now on, and counts to his share. Throws OVERLOADED where that is full, or all are taken. */
  of(userId: number): void;
  /** Its reader may: then it gives way, and nothing takes it again. */
  standsStill: StandsStill;
  /** Nothing takes it again behind this. */
  release(): void;
}

export class CallGate {
  /** By whose they are, a user or, before he is known, a network. */
  readonly #places: Places<string>;
  /** The same calls by their networks: who has many accounts has one share, and his neighbours some of it. */
  readonly #networks: Places<string>;
  readonly #still = new StandingStill();

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

  /**
   * `release` must follow. Who is not known yet has a place where one is free, and goes on without one where none is: for
   * him nobody gives way or is refused, and how many of them there may be is bounded where keys are looked up and bodies come.
   */
  enter(ip: string): Slot {
    return this.#enter(ip).slot;
  }

  /** Of who shows no key, for whom nobody gives way. Throws OVERLOADED where no place is free. */
  enterGuest(ip: string): Slot {
    const { slot, isIn } = this.#enter(ip);
    if (!isIn) throw overloaded('as many calls as there are files for, or as one network has');
    return slot;
  }

  #enter(ip: string): { slot: Slot; isIn: boolean } {
    const network = turnSubject(ip);
    const ofNetwork = `network:${network}`;
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
      this.#take(this.#places, name, name);
      try {
        this.#take(this.#networks, network, ofNetwork);
      } catch (error) {
        this.#places.give(name);
        throw error;
      }
      who = name;
    };
    if (this.#places.take(ofNetwork) === 'taken') {
      if (this.#networks.take(network) === 'taken') who = ofNetwork;
      else this.#places.give(ofNetwork);
    }
    const release = () => {
      wait();
      isOver = true;
    };
    const slot = {
      standsStill: this.#still.of({ names: () => [who ?? '', ofNetwork], giveWay: release }),
      wait,
      of: (userId: number) => {
        wait();
        if (!isOver) takeFor(shareOfUser(userId));
      },
      release,
    };
    return { slot, isIn: who !== null };
  }

  /** `name`: by which those who stand still in his share are known. */
  #take(places: Places<string>, who: string, name: string): void {
    let got = places.take(who);
    while (got !== 'taken' && this.#still.makeRoom(got === 'full' ? undefined : name)) got = places.take(who);
    if (got === 'full') throw overloaded('as many calls as there are files for');
    if (got === 'share-full') throw overloaded('calls of one fill his share');
  }
}
