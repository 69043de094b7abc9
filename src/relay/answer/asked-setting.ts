/**
 * A setting of a session that its caller changes and its upstream tells of. What was asked for counts beside what is in
 * force, until the upstream tells of it.
 */

/** Waiting for what the upstream tells of them. */
const WAITING_MAX = 16;

/** What was asked for; or several after one another as the looser of them, each of which is told for itself. */
interface Asked<T> {
  value: T;
  merged: number;
}

class AskedSetting<T> {
  #inForce: T;
  #asked: Asked<T>[] = [];

  /** `looser` is what may cost more of two. */
  constructor(
    inForce: T,
    readonly looser: (a: T, b: T) => T,
  ) {
    this.#inForce = inForce;
  }

  asked(value: T): void {
    this.#asked.push({ value, merged: 0 });
    const [first, second, ...rest] = this.#asked;
    if (this.#asked.length <= WAITING_MAX || !first || !second) return;
    const merged = Math.max(first.merged, 1) + 1;
    this.#asked = [{ value: this.looser(first.value, second.value), merged }, ...rest];
  }

  /** By the upstream, of what it was asked first; what it has refused it tells nothing of. */
  said(value: T): void {
    this.#inForce = value;
    const [first, ...rest] = this.#asked;
    if (!first?.merged) {
      this.#asked = this.#asked.slice(this.#asked.findIndex((asked) => asked.value === value) + 1);
    } else if (first.merged === 1) this.#asked = rest;
    else this.#asked = [{ ...first, merged: first.merged - 1 }, ...rest];
  }

  get waiting(): number {
    return this.#asked.length;
  }

  get loosest(): T {
    return this.#asked.reduce((loosest, { value }) => this.looser(loosest, value), this.#inForce);
  }
}

/** The most tokens of an answer; null for no limit. */
export const outputLimit = () =>
  new AskedSetting<number | null>(null, (a, b) => (a === null || b === null ? null : Math.max(a, b)));

/** What is heard is written down, too. */
export const writesDown = () => new AskedSetting<boolean>(false, (a, b) => a || b);
