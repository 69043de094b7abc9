/**
 * The critical limiter: tries that were wrong, by account and by address. What succeeds does not count, so that an
 * office behind one address can sign in.
 */
import { createHash } from 'node:crypto';
import { AppError, type ErrorCode, fail } from '../../core/errors.ts';
import type { LimitRule } from '../../platform/limiter.ts';
import { addressSubject } from '../../platform/limiter.ts';
import type { Deps } from '../deps.ts';

export interface WrongTries {
  /** Throws RATE_LIMIT when one more wrong try would be too many. */
  require(): Promise<void>;
  count(): Promise<void>;
  /**
   * Makes a try. It was wrong when it finds null or false, or ends in one of the refusals `wrong`. It is counted first
   * and forgotten when it was not wrong, so that guesses sent at once are no more than guesses one after the other.
   * Throws RATE_LIMIT, and what the try throws.
   */
  attempt<T>(make: () => Promise<T>, ...wrong: readonly ErrorCode[]): Promise<T>;
}

/** `account` as the caller named it, whether it exists or not; absent where tries concern none. */
export function wrongTries(
  { limiter, options }: Pick<Deps, 'limiter' | 'options'>,
  given: { account?: string; ip: string },
): WrongTries {
  // Callers may name anything; a hash keeps the key short and free of odd characters.
  const hashOf = (account: string) =>
    createHash('sha256').update(account.trim().toLowerCase()).digest('base64url');
  const subjects = given.account === undefined ? [] : [`account:${hashOf(given.account)}`];
  const rules: LimitRule[] = [...subjects, `address:${addressSubject(given.ip)}`].map((subject) => ({
    key: `critical:${subject}`,
    limit: options.get('CriticalRateLimitCount'),
    windowSec: options.get('CriticalRateLimitMinutes') * 60,
  }));
  return {
    async require() {
      const states = await Promise.all(rules.map((rule) => limiter.peek(rule)));
      const retryAfterSec = Math.max(...states.map((state) => state.retryAfterSec));
      if (states.some((state) => !state.ok)) throw fail('RATE_LIMIT', { retryAfterSec });
    },
    async count() {
      await Promise.all(rules.map((rule) => limiter.take(rule)));
    },
    async attempt(make, ...wrong) {
      const states = await limiter.takeAll(rules);
      const retryAfterSec = Math.max(...states.map((state) => state.retryAfterSec));
      if (states.some((state) => !state.ok)) throw fail('RATE_LIMIT', { retryAfterSec });
      let isWrong = false;
      try {
        const found = await make();
        isWrong = found === null || found === false;
        return found;
      } catch (error) {
        isWrong = error instanceof AppError && wrong.includes(error.code);
        throw error;
      } finally {
        if (!isWrong) await Promise.all(rules.map((rule) => limiter.add(rule, -1)));
      }
    },
  };
}
