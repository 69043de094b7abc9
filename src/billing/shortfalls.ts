/**
 * Whose calls have cost more than was held for them and than he had. What is held is the most that a call can cost as far
 * as anybody knows; should somebody know a way around that, it serves him once: from then on each of his calls of that
 * model holds so much more beside its own, until a day has passed without another. Each process learns by itself.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../core/limits.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import type { FirstHold, Settled } from './billing.ts';

type Of = Pick<FirstHold, 'userId' | 'sold'>;
const nameOf = ({ userId, sold }: Of): string => `${userId}:${sold}`;

export class Shortfalls {
  /** Quota units: the most that was lacking of a call. */
  readonly #lacked: LRUCache<string, number>;

  constructor(clock?: { now(): number }) {
    this.#lacked = new LRUCache({
      max: limits.shortfallsMax,
      ttl: limits.shortfallMs,
      ttlResolution: 0,
      ...(clock && { perf: clock }),
    });
  }

  /** What to hold for a call that is to hold `amount`; for a free one that is nothing all the same. */
  covering({ amount, ...of }: Of & Pick<FirstHold, 'amount'>): number {
    if (amount === 0) return 0;
    return Math.min(amount + (this.#lacked.get(nameOf(of)) ?? 0), QUOTA_MAX);
  }

  /** A call was settled for which `asked` was to be held. */
  settled({ asked, ...of }: Of & { asked: number }, { paid, writtenOff }: Settled): void {
    if (writtenOff === 0) return;
    const name = nameOf(of);
    this.#lacked.set(name, Math.max(paid + writtenOff - asked, this.#lacked.get(name) ?? 0));
  }
}
