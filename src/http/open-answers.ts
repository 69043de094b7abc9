/**
 * How many answers are under way beside the relay's calls, which `CallGate` counts, and how many connections stay open
 * behind those that were given, of the relay too: each is a descriptor of the process. An answer that was given lies in the
 * sockets, where nobody sees whether it is taken, but by the next request over its connection; a proxy whose reader does not
 * read keeps its connection for as long as it likes.
 */
import { limits } from '../core/limits.ts';
import { turnSubject } from '../platform/limiter.ts';
import { answersWithin } from '../platform/open-files.ts';
import { overloaded } from '../platform/overloaded.ts';
import { Places } from '../platform/places.ts';
import type { StandsStill } from '../platform/reader-pace.ts';
import { ReaderPlaces, Stay } from '../platform/reader-places.ts';

/** Whose share somebody has beside his network's; null for a stranger. */
export type OwnShare = () => Promise<string | null>;

/** One answer's place among those under way. */
export interface AnswerPlace {
  /**
   * Null where it was taken at once. Rejects with OVERLOADED where there is none, for anybody or for him, and with what
   * finding out who he is throws.
   */
  take(): Promise<void> | null;
  /** It is others' until it is taken again. */
  wait(): void;
  /** Its reader may: then it gives way, and nothing takes it again. */
  standsStill: StandsStill;
  /** Nothing takes it again behind this. */
  leave(): void;
}

const places = new WeakMap<Request, AnswerPlace>();

/** The place of the answer to a request that came in through the front. */
export const placeOf = (request: Request): AnswerPlace | undefined => places.get(request);

/** An answer behind which a connection may stay open. */
interface Given {
  ip: string;
  /** By its name, where it has one. */
  connection: string | null;
  /** Of one that is written as it is made: when it is. */
  written?: Promise<unknown>;
}

interface Kept {
  network: string;
  untilMs: number;
}

export class OpenAnswers {
  /** By network. */
  readonly #underWay: ReaderPlaces;
  /** By who it is, where his network has filled its share: a neighbour refuses nobody who is known. */
  readonly #ofKnown: ReaderPlaces;
  readonly #kept: Places<string>;
  /** Those behind which nothing more has come, by their names, the first to end first. */
  readonly #idle = new Map<string | symbol, Kept>();

  constructor(
    openFiles: number | null,
    readonly keptSec: number = limits.answerTakenSec,
  ) {
    const { atOnce, kept } = answersWithin(openFiles);
    const ofKnown = Math.max(1, Math.floor(atOnce * limits.answersOfKnownPart));
    this.#underWay = new ReaderPlaces(atOnce - ofKnown, [limits.answersOfNetworkShare]);
    this.#ofKnown = new ReaderPlaces(ofKnown, [limits.answersOfKnownShare]);
    this.#kept = new Places(kept, limits.keptOfNetworkShare);
  }

  get underWay(): number {
    return this.#underWay.taken + this.#ofKnown.taken;
  }

  get free(): number {
    return this.#underWay.most + this.#ofKnown.most - this.underWay;
  }

  /** The place of the answer to a request, to be taken. */
  placeFor(request: Request, ip: string, ownShare: OwnShare): AnswerPlace {
    const network = turnSubject(ip);
    const stay = new Stay();
    const { wait, leave, standsStill } = stay;
    const takeWhereNoneIsFree = async () => {
      const own = await ownShare();
      if (stay.isOver) return;
      const taken =
        this.#underWay.takeFree(network) ??
        // Before any neighbour's answer breaks off.
        (own === null ? null : this.#ofKnown.take(own)) ??
        this.#underWay.take(network);
      if (!stay.take(taken))
        throw overloaded('as many answers as there are files for, or as one network has');
    };
    const take = () => (stay.take(this.#underWay.takeFree(network)) ? null : takeWhereNoneIsFree());
    const place: AnswerPlace = { take, wait, standsStill, leave };
    places.set(request, place);
    return place;
  }

  /**
   * Whether the connection may stay open behind an answer that a proxy may leave in it: some may, so that a visitor's
   * next request need not wait for another. Nobody is refused here; behind the others it is closed, which leaves to the
   * system what was not taken.
   */
  mayKeep({ ip, connection, written }: Given): boolean {
    this.#forgetEnded();
    const network = turnSubject(ip);
    if (this.#kept.take(network) !== 'taken') return false;
    if (written) void written.then(() => this.#waits(network, connection));
    else this.#waits(network, connection);
    return true;
  }

  /** Another request has come over a connection: what was given there before is taken. */
  cameOver(connectionOf: () => string | null): void {
    if (this.#idle.size === 0) return;
    const connection = connectionOf();
    if (connection !== null) this.#forget(connection);
  }

  #waits(network: string, connection: string | null): void {
    const name = connection ?? Symbol();
    this.#forget(name);
    this.#idle.set(name, { network, untilMs: performance.now() + this.keptSec * 1000 });
  }

  #forget(name: string | symbol): void {
    const kept = this.#idle.get(name);
    if (!kept) return;
    this.#idle.delete(name);
    this.#kept.give(kept.network);
  }

  #forgetEnded(): void {
    const nowMs = performance.now();
    for (const [name, { untilMs }] of this.#idle) {
      if (untilMs > nowMs) return;
      this.#forget(name);
    }
  }
}
