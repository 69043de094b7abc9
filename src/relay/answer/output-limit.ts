/** The most tokens of an answer of a session. What was asked for counts beside what is in force, until the upstream tells of it. */

/** Waiting for what the upstream tells of them. */
const WAITING_MAX = 16;

/** Null for no limit. */
type Limit = number | null;

const looser = (a: Limit, b: Limit): Limit => (a === null || b === null ? null : Math.max(a, b));

export class OutputLimit {
  #limit: Limit = null;
  #asked: Limit[] = [];

  /** Of more than wait, the first two count as the looser of them, until that or a later one is told. */
  asked(limit: Limit): void {
    if (this.#asked.at(-1) === limit) return;
    this.#asked.push(limit);
    const [first, second, ...rest] = this.#asked;
    if (this.#asked.length <= WAITING_MAX || first === undefined || second === undefined) return;
    this.#asked = [looser(first, second), ...rest];
  }

  /** By the upstream, of what it was asked first; what it has refused it tells nothing of. */
  said(limit: Limit): void {
    this.#limit = limit;
    this.#asked = this.#asked.slice(this.#asked.indexOf(limit) + 1);
  }

  get waiting(): number {
    return this.#asked.length;
  }

  get loosest(): Limit {
    return this.#asked.reduce(looser, this.#limit);
  }
}
