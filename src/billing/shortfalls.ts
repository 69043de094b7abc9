/**
 * Whose calls have cost more than was held for them and than he had, or than the limit of their key had left. What is held is
 * the most that a call can cost as far as anybody knows; should somebody know a way around that, it serves him once: from then
 * on each call of that model, of his or of that key, holds so much more beside its own, until a day has passed without another.
 * Each process learns by itself.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../core/limits.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import type { FirstHold, Settled } from './billing.ts';

type Of = Pick<FirstHold, 'userId' | 'tokenId' | 'sold'>;
const ofUser = ({ userId, sold }: Of): string => `user ${userId}:${sold}`;
/** Who has a key of somebody else's is not to keep his other keys from being used. */
const ofKey = ({ tokenId, sold }: Of): string => `key ${tokenId}:${sold}`;

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
    return Math.min(amount + Math.max(this.#lackedBy(ofUser(of)), this.#lackedBy(ofKey(of))), QUOTA_MAX);
  }

  /** A call was settled for which `asked` was to be held. */
  settled({ asked, ...of }: Of & { asked: number }, { paid, writtenOff, keyShort }: Settled): void {
    const lacked = paid + writtenOff - asked;
    if (writtenOff > 0) this.#note(ofUser(of), lacked);
    // What was held for it may cover it, where other calls have used the limit up.
    if (keyShort && lacked > 0) this.#note(ofKey(of), lacked);
  }

  #lackedBy(name: string): number {
    return this.#lacked.get(name) ?? 0;
  }

  #note(name: string, lacked: number): void {
    this.#lacked.set(name, Math.max(lacked, this.#lackedBy(name)));
  }
}
