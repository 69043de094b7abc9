/**
 * Who was let off within a day: a call with tools of his gave its place to strangers, and was charged little for it though his
 * tools may have had all of it. Honest people meet that once. Who is his own stranger would do it all day long, so that each
 * further one is charged as if the need had been his own. Each process remembers for itself.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';

export class LetOff {
  readonly #users: LRUCache<number, true>;

  constructor(clock?: { now(): number }) {
    this.#users = new LRUCache({
      max: limits.letOffUsers,
      ttl: limits.letOffMs,
      ttlResolution: 0,
      ...(clock && { perf: clock }),
    });
  }

  /** Whether he is let off, as he is no more from then on until a day has passed. */
  once(userId: number): boolean {
    if (this.#users.has(userId)) return false;
    this.#users.set(userId, true);
    return true;
  }
}
