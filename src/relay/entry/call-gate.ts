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
import { ReaderPlaces, type StandsInPlace, Stay } from '../../platform/reader-places.ts';

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
  standsStill: StandsInPlace;
  /** Nothing takes it again behind this. */
  release(): void;
}

export class CallGate {
  /** By whose they are and by network: who has many accounts has one share, and his neighbours some of it. */
  readonly #places: ReaderPlaces;

  constructor(readonly most: number) {
    const { callsOfOneShare, callsOfNetworkShare, fewCallsShare } = limits;
    const few = Math.max(1, Math.floor(most * fewCallsShare));
    this.#places = new ReaderPlaces(most, [callsOfOneShare, callsOfNetworkShare], few);
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
    if (!isIn) throw overloaded('as many calls as there are files for, or as guests of one network have');
    return slot;
  }

  #enter(ip: string): { slot: Slot; isIn: boolean } {
    const network = `network:${turnSubject(ip)}`;
    const stay = new Stay(this.#places.takeFree(`guests:${network}`, network));
    const { isIn, wait, leave, standsStill } = stay;
    const of = (userId: number) => {
      wait();
      if (stay.isOver || stay.take(this.#places.take(shareOfUser(userId), network))) return;
      throw overloaded('as many calls as there are files for, or as one user or network has');
    };
    return { slot: { standsStill, wait, of, release: leave }, isIn };
  }
}
