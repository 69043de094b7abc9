/**
 * How many answers are under way beside the relay's calls, which `CallGate` counts, and how many connections stay open
 * behind those that were given: each is a descriptor of the process. An answer that was given lies in the sockets, where
 * nobody sees whether it is taken; a proxy whose reader does not read keeps its connection for as long as it likes.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { turnSubject } from '../platform/limiter.ts';
import { answersWithin } from '../platform/open-files.ts';
import { Places } from '../platform/places.ts';

const RETRY_SEC = 2;

export class OpenAnswers {
  readonly #underWay: Places<string>;
  readonly #kept: Places<string>;

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
  mayKeep(ip: string): boolean {
    const network = turnSubject(ip);
    if (this.#kept.take(network) !== 'taken') return false;
    setTimeout(() => this.#kept.give(network), this.keptSec * 1000).unref();
    return true;
  }
}
