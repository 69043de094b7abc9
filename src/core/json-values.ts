/**
 * Short texts among the values of JSON. Engines keep those, as they keep names, in one table while anything has them: some
 * thousands that stand in one place of it stop the process for as long as that many names do. Of those that stand
 * elsewhere there may be any number.
 */
import { Alike } from './alike.ts';
import { nameOf } from './json-places.ts';
import { Lately } from './lately.ts';
import type { PassingAlike } from './passing-alike.ts';

/** Characters, as they are read. Of the engine; longer ones stand by themselves. */
const SHORT = 16;
/** How many characters may be written for one: `\u0061`. */
const ESCAPED = 6;
/** So many are looked at one by one, and of all that follow ever fewer: who stands in one place with many is met all the same. */
const FIRST_LOOKS = 32 * 1024;

/** Those of one text after another, which are counted together. */
export class ShortValues {
  readonly #seen = new Set<string>();
  readonly #alike = new Alike();
  readonly #lately = new Lately();
  #count = 0;
  /** How many come before the next that is looked at: nobody knows beforehand. */
  #skipped = 0;

  /** They are counted in `passing`, too, with those of texts before. */
  constructor(readonly passing?: PassingAlike) {}

  /** Counts a string of a text, as it is written between its quotes; false when too many stand in its place. */
  takes(text: string, from: number, to: number): boolean {
    const length = to - from;
    if (length === 0 || length > SHORT * ESCAPED || this.#skipped-- > 0) return true;
    this.#skipped = Math.floor(2 * Math.random() * Math.max(this.#count / FIRST_LOOKS - 1, 0));
    this.#count += 1 + this.#skipped;
    if (this.#lately.has(text, from, to)) return true;
    const written = text.slice(from, to);
    const value = nameOf(written);
    if (value.length > SHORT) return true;
    if (value === written) this.#lately.keep(written);
    if (this.#seen.has(value)) return true;
    this.#seen.add(value);
    return this.#alike.takes(value) && this.passing?.takes(value) !== false;
  }
}
