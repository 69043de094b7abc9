/**
 * Whose calls have cost more than was held for them and than he had. What is held is the most that a call can cost as far
 * as anybody knows; should somebody know a way around that, it serves him once: from then on each of his calls holds so
 * much more beside its own, until a day has passed without another. Each process learns by itself.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../core/limits.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import type { Settled } from './billing.ts';

export class Shortfalls {
  /** Quota units by user: the most that was lacking of a call of his. */
  readonly #lacked: LRUCache<number, number>;

  constructor(clock?: { now(): number }) {
    this.#lacked = new LRUCache({
      max: limits.shortfallUsers,
      ttl: limits.shortfallMs,
      ttlResolution: 0,
      ...(clock && { perf: clock }),
    });
  }

  /** What to hold for a call of this user that is to hold `amount`; nothing is held for a free one all the same. */
  covering(userId: number, amount: number): number {
    if (amount === 0) return 0;
    return Math.min(amount + (this.#lacked.get(userId) ?? 0), QUOTA_MAX);
  }

  /** A call of this user was settled for which `asked` was to be held. */
  settled(userId: number, asked: number, { paid, writtenOff }: Settled): void {
    if (writtenOff === 0) return;
    this.#lacked.set(userId, Math.max(paid + writtenOff - asked, this.#lacked.get(userId) ?? 0));
  }
}
