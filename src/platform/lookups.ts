/**
 * Looking up credentials that this process has not seen: who tries many that are nobody's must not cost the database a
 * query each. Look-ups take turns by network; one that was wrong too often has few a second from then on, so that others
 * behind the same address still get in. Credentials that were somebody's lately are always looked up.
 */
import { LRUCache } from 'lru-cache';
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { createFairGate } from './fair-gate.ts';
import { allFit, type Limiter, type LimitRule, networkRules, turnSubject } from './limiter.ts';

/** Who brings a credential. */
export interface Bringer {
  ip: string;
  /** What is counted apart from all else that comes from there, such as what pages of other sites had somebody bring. */
  apart?: string;
}

export interface Lookups {
  /** What `find` finds; null is a wrong one, and counts. Throws RATE_LIMIT without asking, OVERLOADED when too many wait. */
  look<T>(credential: string, bringer: Bringer, find: () => Promise<T | null>): Promise<T | null>;
}

const counterOf = (name: string, { apart = '' }: Bringer): string => (apart ? `${name}:${apart}` : name);

/** The rules that wrong credentials of a kind count by. */
export const wrongCredentials = (kind: string, bringer: Bringer): LimitRule[] =>
  networkRules(counterOf(`wrong-credential:${kind}`, bringer), limits.badKeysAMinute, 60, bringer.ip);

export function createLookups(
  limiter: Limiter,
  kind: string,
  remembered: number = limits.callerCacheEntries,
): Lookups {
  const seen = new LRUCache<string, true>({ max: remembered });
  const gate = createFairGate({
    atOnce: limits.lookupsAtOnce,
    ofOneAtOnce: limits.lookupsOfOneAtOnce,
    waitingMax: limits.lookupsWaiting,
    ofOneWaitingMax: limits.lookupsOfOneWaiting,
  });

  const requireTurn = async (bringer: Bringer): Promise<void> => {
    const rules = wrongCredentials(kind, bringer);
    const counts = await Promise.all(rules.map(({ key }) => limiter.counted(key)));
    if (rules.every(({ limit }, n) => (counts[n] ?? 0) < limit)) return;
    const name = counterOf(`slow-lookup:${kind}`, bringer);
    const slow = networkRules(name, limits.slowLookupsASecond, 1, bringer.ip);
    const { ok, retryAfterSec } = allFit(await limiter.takeAll(slow));
    if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
  };

  return {
    async look(credential, bringer, find) {
      if (seen.has(credential)) {
        const found = await find();
        if (found === null) seen.delete(credential);
        return found;
      }
      const network = turnSubject(bringer.ip);
      const found = await gate.run({ who: counterOf(network, bringer), network }, async () => {
        await requireTurn(bringer);
        const looked = await find();
        if (looked === null) for (const rule of wrongCredentials(kind, bringer)) await limiter.add(rule, 1);
        return looked;
      });
      if (found !== null) seen.set(credential, true);
      return found;
    },
  };
}
