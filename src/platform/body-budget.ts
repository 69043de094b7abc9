/** The memory that request bodies may take, of the relay and of the console together. */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

/** Where a body finds room. */
export interface Room {
  /** For one body, which grows as it comes. */
  hold(): HeldBytes;
}

/** Whose room it is: a user's id, or the network of somebody who is not known. */
type Holder = number | string;

/** All request bodies that are in memory now, and what was fetched for them. */
export class BodyBudget implements Room {
  #bytes = 0;
  readonly #ofHolder = new Map<Holder, number>();

  /** What is held here counts in `whole`, too. */
  constructor(
    readonly most: number = limits.bodiesInMemoryBytes,
    readonly whole?: BodyBudget,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** The room of one holder, who never holds more than he leaves for others. */
  of(holder: Holder): Room {
    return { hold: () => this.hold(holder) };
  }

  /** Whether so much more is within a holder's share where nobody else holds anything. */
  isWithinShare(holder: Holder, bytes: number): boolean {
    return 2 * ((this.#ofHolder.get(holder) ?? 0) + bytes) <= this.most;
  }

  hold(holder?: Holder): HeldBytes {
    const inWhole = this.whole?.hold(holder);
    let held = 0;
    let isReleased = false;
    return {
      grow: (bytes) => {
        // Whatever still comes belongs to nobody: it would never be given back.
        if (isReleased) throw fail('client_gone');
        this.#refuseBeyond(holder, bytes);
        inWhole?.grow(bytes);
        this.#count(holder, bytes);
        held += bytes;
      },
      release: () => {
        inWhole?.release();
        this.#count(holder, -held);
        held = 0;
        isReleased = true;
      },
    };
  }

  #refuseBeyond(holder: Holder | undefined, bytes: number): void {
    const all = this.#bytes + bytes;
    if (all > this.most) {
      throw fail('OVERLOADED', { internal: 'request bodies fill their memory', retryAfterSec: 2 });
    }
    if (holder !== undefined && (this.#ofHolder.get(holder) ?? 0) + bytes > this.most - all) {
      throw fail('OVERLOADED', { internal: 'bodies of one user fill their share', retryAfterSec: 2 });
    }
  }

  #count(holder: Holder | undefined, bytes: number): void {
    this.#bytes += bytes;
    if (holder === undefined) return;
    const own = (this.#ofHolder.get(holder) ?? 0) + bytes;
    if (own > 0) this.#ofHolder.set(holder, own);
    else this.#ofHolder.delete(holder);
  }
}

export interface HeldBytes {
  /** Throws OVERLOADED when there is no room, `client_gone` after the release. */
  grow(bytes: number): void;
  /** May be called twice. */
  release(): void;
}
