/**
 * How many answers are under way beside the relay's calls, which `CallGate` counts, and how many connections stay open
 * behind those that were given, of the relay too: each is a descriptor of the process. An answer that was given lies in the
 * sockets, where nobody sees whether it is taken, but by the next request over its connection; a proxy whose reader does not
 * read keeps its connection for as long as it likes.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { turnSubject } from '../platform/limiter.ts';
import { answersWithin } from '../platform/open-files.ts';
import { Places } from '../platform/places.ts';

const RETRY_SEC = 2;

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
  readonly #underWay: Places<string>;
  readonly #kept: Places<string>;
  /** Those behind which nothing more has come, by their names, the first to end first. */
  readonly #idle = new Map<string | symbol, Kept>();

  constructor(
    openFiles: number | null,
    readonly keptSec: number = limits.answerTakenSec,
  ) {
    const { atOnce, kept } = answersWithin(openFiles);
    this.#underWay = new Places(atOnce, limits.answersOfNetworkShare);
    this.#kept = new Places(kept, limits.keptOfNetworkShare);
  }

  get underWay(): number {
    return this.#underWay.taken;
  }

  /** Throws OVERLOADED where there is no room, for anybody or for this network; else what is returned must be called, once. */
  enter(ip: string): () => void {
    const network = turnSubject(ip);
    const got = this.#underWay.take(network);
    if (got === 'taken') return () => this.#underWay.give(network);
    const internal = got === 'full' ? 'as many answers as there are files for' : 'answers of one network';
    throw fail('OVERLOADED', { internal, retryAfterSec: RETRY_SEC });
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
