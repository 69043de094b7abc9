/** Bytes of which each holder has at most so many, whatever others have: beside a room that is shared. */
import type { HeldBytes, Name, Room } from './body-budget.ts';
import { overloaded } from './overloaded.ts';
import { Tally } from './tally.ts';

export class BytesOfEach {
  readonly #held = new Tally<Name>();

  constructor(readonly most: number) {}

  heldBy(name: Name): number {
    return this.#held.of(name);
  }

  /** What `grow` refuses has changed nothing. */
  of(name: Name): Room {
    return { hold: () => this.#hold(name) };
  }

  #hold(name: Name): HeldBytes {
    let own = 0;
    const count = (more: number) => {
      own += more;
      this.#held.add(name, more);
    };
    return {
      grow: (bytes) => {
        if (this.heldBy(name) + bytes > this.most) throw overloaded('one holder has enough');
        count(bytes);
      },
      keep: (bytes) => count(Math.min(bytes - own, 0)),
      comes: () => () => undefined,
      release: () => count(-own),
    };
  }
}
