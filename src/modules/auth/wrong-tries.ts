/**
 * The critical limiter: tries that were wrong, by account and by address. What succeeds does not count, so that an
 * office behind one address can sign in.
 */
import { AppError, type ErrorCode, fail } from '../../core/errors.ts';
import { addressSubject, type LimitRule } from '../../platform/limiter.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';

type TryDeps = Pick<Deps, 'limiter' | 'options'>;

/** Who tries. */
export interface Trier {
  /** The account as he named it, whether it exists or not; absent where tries concern none. */
  account?: string;
  ip: string;
}

/**
 * Makes a try. It was wrong when it finds null or false, or ends in one of the refusals `wrong`. It is counted first
 * and forgotten when it was not wrong, so that guesses sent at once are no more than guesses one after the other.
 * Throws RATE_LIMIT, and what the try throws.
 */
export async function attempt<T>(
  deps: TryDeps,
  trier: Trier,
  make: () => Promise<T>,
  ...wrong: readonly ErrorCode[]
): Promise<T> {
  const rules = rulesFor(deps, trier);
  const states = await deps.limiter.takeAll(rules);
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
    if (!isWrong) await Promise.all(rules.map((rule) => deps.limiter.add(rule, -1)));
  }
}

function rulesFor({ options }: TryDeps, { account, ip }: Trier): LimitRule[] {
  // Callers may name anything; a hash keeps the key short and free of odd characters.
  const subjects = account === undefined ? [] : [`account:${sha256(account.trim().toLowerCase())}`];
  return [...subjects, `address:${addressSubject(ip)}`].map((subject) => ({
    key: `critical:${subject}`,
    limit: options.get('CriticalRateLimitCount'),
    windowSec: options.get('CriticalRateLimitMinutes') * 60,
  }));
}
