/** Chance that falls the same way again from the same seed, for who draws alone. */

export class Dice {
  #state: number;

  /** A seed of 0 would fall on 0 for ever. */
  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** A whole number from 0 on, below `end`. */
  below(end: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % end;
  }

  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new Error('there is nothing to draw from');
    return one;
  }
}

/** As many cards of each as its share says, to draw from. */
export const deckOf = <T extends { share: number }>(all: readonly T[]): T[] =>
  all.flatMap((one) => Array<T>(one.share).fill(one));
