/** Bytes of which each holder has at most so many, whatever others have: beside a room that is shared. */
import { fail } from '../core/errors.ts';
import type { HeldBytes, Name, Room } from './body-budget.ts';

export class BytesOfEach {
  readonly #held = new Map<Name, number>();

  constructor(readonly most: number) {}

  heldBy(name: Name): number {
    return this.#held.get(name) ?? 0;
  }

  /** What `grow` refuses has changed nothing. */
  of(name: Name): Room {
    return { hold: () => this.#hold(name) };
  }

  #hold(name: Name): HeldBytes {
    let own = 0;
    const count = (more: number) => {
      own += more;
      const held = this.heldBy(name) + more;
      if (held > 0) this.#held.set(name, held);
      else this.#held.delete(name);
    };
    return {
      grow: (bytes) => {
        if (this.heldBy(name) + bytes > this.most)
          throw fail('OVERLOADED', { internal: 'one holder has enough', retryAfterSec: 2 });
        count(bytes);
      },
      keep: (bytes) => count(Math.min(bytes - own, 0)),
      comes: () => () => undefined,
      release: () => count(-own),
    };
  }
}
