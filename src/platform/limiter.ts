/**
 * Counting limits: how often something happened in a window. Redis counts for all processes; without Redis, or while
 * it is away, each process counts on its own.
 */

export interface LimitRule {
  /** Name and subject, like `login:account:root`. */
  key: string;
  limit: number;
  windowSec: number;
}

export interface LimitState {
  ok: boolean;
  remaining: number;
  /** Seconds until the next one fits; 0 when ok. */
  retryAfterSec: number;
}

export interface Limiter {
  /** Counts one and says whether it still fits. */
  take(rule: LimitRule): Promise<LimitState>;
  /** Says whether one would fit, without counting it. */
  peek(rule: LimitRule): Promise<LimitState>;
  clear(key: string): Promise<void>;
}
