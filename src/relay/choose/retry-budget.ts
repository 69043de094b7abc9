/**
 * How much may be tried more than twice: such retries are a share of the calls, so that a site whose channels all fail does
 * not multiply its load upon them. A reserve lets a burst of failures be retried. Each user has his own, since a call that
 * fails wherever it is asked costs its caller nothing, and each process keeps its own.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';

export class RetryBudget {
  #left: number = limits.retryStart;
  #isUsed = false;

  /** Whether anything was tried again at all. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** A call has begun. */
  earn(): void {
    this.#left = Math.min(this.#left + limits.retryShare, limits.retryReserve);
  }

  /** True when one more try may be made; it is then counted. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.#isUsed = true;
    return true;
  }
}

/** One for each user: nobody uses up another's. */
export class UserBudgets {
  readonly #ofUser = new LRUCache({
    max: limits.retryUsers,
    memoMethod: (_: number) => new RetryBudget(),
  });

  of(userId: number): RetryBudget {
    return this.#ofUser.memo(userId);
  }
}

/** Milliseconds to wait before the nth retry: chance spreads those that failed at once (full jitter). */
export const backOffMs = (retry: number, random = Math.random): number =>
  random() * Math.min(limits.backOffMs * 2 ** (retry - 1), limits.backOffMaxMs);
