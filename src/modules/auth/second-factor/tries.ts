/** Which counters a wrong code of a second factor has, by how near to the account it comes from. */
import { limits } from '../../../core/limits.ts';
import { DAY_SEC } from '../../../core/time.ts';
import type { LimitRule, Ways } from '../../../platform/limiter.ts';
import { byNetwork, byOwn, byPair } from '../../failed-attempts/service.ts';
import type { Standing } from '../standing.ts';
import type { FactorDeps } from './factor.ts';

/** From how near somebody tries a factor: whoever is less near fills no counter of who is nearer. */
type Nearness = Standing['as'] | 'session' | 'token';

/**
 * Of all together who are as near to the account: counters of each alone would be as many as they are. Codes are short,
 * so that there are few tries in a day besides.
 */
const byNearness = (deps: FactorDeps, near: Nearness, id: number): LimitRule[] => [
  ...byOwn(deps, 'factor', `${near}:${id}`, near === 'stranger' ? 1 : limits.attemptsOfNetwork),
  { key: `critical:factor:day:${near}:${id}`, limit: limits.factorTriesADay, windowSec: DAY_SEC },
];

/** Of who is signed in: his session's own, or that of his access token. */
export const attemptsOfSession = (
  deps: FactorDeps,
  { id, sessionId }: { id: number; sessionId: string | null },
): Ways => [
  [
    ...byOwn(deps, 'factor', sessionId ?? `token:${id}`),
    ...byNearness(deps, sessionId === null ? 'token' : 'session', id),
  ],
];

/**
 * Of who is signing in. He has the password, so that strangers have one counter for the account from everywhere.
 * Browsers that were in before, and root where he was, have their own, which no thief's tries fill, and that of strangers
 * where they have filled it.
 */
export function attemptsOfArrival(
  deps: FactorDeps,
  { id }: { id: number },
  { standing, ip }: { standing: Standing; ip: string },
): Ways {
  const stranger = [...byNetwork(deps, 'factor', ip), ...byNearness(deps, 'stranger', id)];
  if (standing.as === 'stranger') return [stranger];
  const own =
    standing.as === 'known'
      ? byOwn(deps, 'factor', standing.browser)
      : byPair(deps, 'factor', `id:${id}`, ip);
  return [[...own, ...byNearness(deps, standing.as, id)], stranger];
}
