/** Short-lived upstream tokens by key, each fetched once however many calls want it at the same time. */

export interface FetchedToken {
  value: string;
  /** Milliseconds since the epoch after which it is fetched anew. */
  reuseUntil: number;
}

/** Keys remembered at once; more than any operator has channels. */
const ENTRIES_MAX = 10_000;

export class TokenCache {
  readonly #tokens = new Map<string, FetchedToken>();
  readonly #underWay = new Map<string, Promise<string>>();

  /** The token of `key`; a failed fetch is not remembered and rejects for all who waited for it. */
  get(key: string, fetchToken: () => Promise<FetchedToken>, now = Date.now()): Promise<string> {
    const held = this.#tokens.get(key);
    if (held && held.reuseUntil > now) return Promise.resolve(held.value);
    const waiting = this.#underWay.get(key);
    if (waiting) return waiting;
    const fetched = fetchToken()
      .then((token) => {
        if (this.#tokens.size >= ENTRIES_MAX) this.#tokens.clear();
        this.#tokens.set(key, token);
        return token.value;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, fetched);
    return fetched;
  }

  /** Forgets a token that the upstream refused; true when there was one. */
  drop(key: string): boolean {
    return this.#tokens.delete(key);
  }
}
