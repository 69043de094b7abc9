/**
 * The failed-attempt limiter: how often one may be wrong with a password, a code, a captcha. What succeeds does not
 * count, so that an office behind one address can sign in. Nobody's failed attempts keep another out: they count first
 * for who is known to make them (a flow, a session, an account, a browser that was in before), then for the network that
 * they come from, at several times as many, and those at one account make each further network slower there, never the
 * account itself shut. Nor does being known keep anybody out: whoever finds no room there has that of a stranger.
 *
 * What nobody can guess has no counter here, or being wrong on purpose would be a way to shut out a whole network: states,
 * tokens and secrets that we make, signatures, and codes that were told in another flow. They are bounded by the calls
 * that an address may make at all.
 */
import { AppError, type ErrorCode, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC, HOUR_SEC } from '../../core/time.ts';
import {
  type Known,
  type LimitRule,
  named,
  networkRules,
  takeFirst,
  type Ways,
} from '../../platform/limiter.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';

type AttemptDeps = Pick<Deps, 'limiter' | 'options'>;

/** What is guessed. Attempts of one kind never count against another. */
export type AttemptKind =
  | 'password'
  | 'confirm'
  | 'factor'
  | 'captcha'
  | 'wechat'
  | 'redemption'
  | 'approval'
  | 'discount';

/**
 * Makes an attempt. It has failed when it finds null or false, or ends in one of the refusals `wrong`. It is counted
 * first and forgotten when it has not failed, so that guesses sent at once are no more than guesses one after the
 * other. Throws RATE_LIMIT, and what the attempt throws.
 */
export const attempt = <T>(
  deps: AttemptDeps,
  rules: readonly LimitRule[],
  make: () => Promise<T>,
  ...wrong: readonly ErrorCode[]
): Promise<T> => attemptAny(deps, [rules], make, ...wrong);

/** The same, counted in the first of the ways that has room. */
export const attemptAny = <T>(
  deps: AttemptDeps,
  ways: Ways,
  make: () => Promise<T>,
  ...wrong: readonly ErrorCode[]
): Promise<T> =>
  attemptOr(
    deps,
    ways,
    make,
    (retryAfterSec) => Promise.reject(fail('RATE_LIMIT', { retryAfterSec })),
    wrong,
  );

/** The same, but an attempt that does not fit is answered by `refuse`. */
export async function attemptOr<T>(
  { limiter }: AttemptDeps,
  ways: Ways,
  make: () => Promise<T>,
  refuse: (retryAfterSec: number) => Promise<T>,
  wrong: readonly ErrorCode[] = [],
): Promise<T> {
  const { ok, retryAfterSec, taken } = await takeFirst(limiter, ways);
  if (!ok) return refuse(retryAfterSec);
  let isWrong = false;
  try {
    const found = await make();
    isWrong = found === null || found === false;
    return found;
  } catch (error) {
    isWrong = error instanceof AppError && wrong.includes(error.code);
    throw error;
  } finally {
    if (!isWrong) await Promise.all(taken.map((rule) => limiter.add(rule, -1)));
  }
}

/** Of all that come from a network, on whatever account: more than one who is wrong there fills by himself. */
export const byNetwork = (deps: AttemptDeps, kind: AttemptKind, ip: string): LimitRule[] =>
  networkRules(`critical:${kind}:network`, ...attemptsOf(deps, limits.attemptsOfNetwork), ip);

/** Of one who has a counter of his own: a browser, a session, or the owner of a factor; `times` as many as of one. */
export function byOwn(deps: AttemptDeps, kind: AttemptKind, id: string, times = 1): LimitRule[] {
  const [limit, windowSec] = attemptsOf(deps, times);
  return [{ key: `critical:${kind}:own:${sha256(id)}`, limit, windowSec }];
}

/**
 * Of a caller: by what he is known by, so that no neighbour is wrong in his name, and where that has no room as of a
 * stranger, whose network counts. What is guessed so belongs to nobody in particular and accounts are made at will, so
 * that the known of a network count together besides, and each account for a day.
 */
export const byCaller = (deps: AttemptDeps, kind: AttemptKind, known: Known | null, ip: string): Ways => {
  const stranger = byNetwork(deps, kind, ip);
  return known === null ? [stranger] : [byKnown(deps, kind, known, ip), stranger];
};

const byKnown = (deps: AttemptDeps, kind: AttemptKind, { own, all }: Known, ip: string): LimitRule[] => [
  ...byOwn(deps, kind, own),
  ...byOwn(deps, kind, all, limits.sessionsBusyAtOnce),
  { key: `critical:${kind}:day:${sha256(all)}`, limit: limits.factorTriesADay, windowSec: DAY_SEC },
  ...networkRules(`critical:${kind}:known`, ...attemptsOf(deps, limits.busyOfNetwork), ip),
];

/**
 * The same, with a delay that grows with what was wrong at the site in an hour: beyond the first ones each adds a second to
 * the time that one account, or the strangers of one network, wait between two of their own. Who comes new is heard at
 * once, and what is right counts nowhere, so that a flood of guesses slows the guessers alone.
 */
export async function byCallerOfSite(
  deps: AttemptDeps,
  kind: AttemptKind,
  known: Known | null,
  ip: string,
): Promise<Ways> {
  const site = tally(`critical:${kind}:site`, HOUR_SEC);
  const delaySec = await delayOf(deps, site, limits.wrongOfSite);
  const slowed = (rules: LimitRule[], slow: LimitRule[]) => [...rules, site, ...(delaySec > 0 ? slow : [])];
  const slow = `critical:${kind}:slow`;
  const stranger = slowed(byNetwork(deps, kind, ip), networkRules(slow, 1, delaySec, ip));
  if (known === null) return [stranger];
  const ofOne = { key: `${slow}:${sha256(known.all)}`, limit: 1, windowSec: delaySec };
  return [slowed(byKnown(deps, kind, known, ip), [ofOne]), stranger];
}

/** Of one account from one network; no other network has a part in it. */
export function byPair(deps: AttemptDeps, kind: AttemptKind, account: string, ip: string): LimitRule[] {
  return networkRules(named(`critical:${kind}:pair:${hashOf(account)}`), ...attemptsOf(deps), ip);
}

/**
 * The same, with a delay that grows with what was wrong at the account from everywhere: beyond the first tries of a day,
 * each adds a second to the time that a network waits between two of its own. A network that comes new is heard at once,
 * so that a flood of guesses slows every guesser and keeps no owner out.
 */
export const byAccount = (
  deps: AttemptDeps,
  kind: AttemptKind,
  id: number,
  ip: string,
): Promise<LimitRule[]> =>
  withDelay(deps, kind, { account: `id:${id}`, everywhere: `critical:${kind}:account:${id}`, ip });

/**
 * The same by a name, whether or not anybody has it: delays of accounts alone would tell which names have one. Names
 * share so many counters, so that invented ones take up no more room, and a day of them adds some seconds to the others.
 */
export function byName(deps: AttemptDeps, kind: AttemptKind, name: string, ip: string): Promise<LimitRule[]> {
  const shared = Bun.hash.crc32(name.toLowerCase()) % limits.nameCounters;
  const everywhere = named(`critical:${kind}:name:${shared}`);
  return withDelay(deps, kind, { account: `name:${name}`, everywhere, ip });
}

async function withDelay(
  deps: AttemptDeps,
  kind: AttemptKind,
  { account, everywhere: key, ip }: { account: string; everywhere: string; ip: string },
): Promise<LimitRule[]> {
  const everywhere = tally(key, limits.failedAttemptsDaySec);
  const delaySec = await delayOf(deps, everywhere, deps.options.get('CriticalRateLimitCount'));
  const pair = byPair(deps, kind, account, ip);
  if (delaySec <= 0) return [...pair, everywhere];
  const slow = networkRules(named(`critical:${kind}:slow:${hashOf(account)}`), 1, delaySec, ip);
  return [...pair, everywhere, ...slow];
}

/** Never full: it only says how much there was. */
const tally = (key: string, windowSec: number): LimitRule => ({
  key,
  limit: Number.MAX_SAFE_INTEGER,
  windowSec,
});

/** The seconds between two tries of one, by what was wrong everywhere; none for the first ones. */
const delayOf = async ({ limiter }: AttemptDeps, { key }: LimitRule, first: number): Promise<number> =>
  Math.min((await limiter.counted(key)) - first, limits.failedAttemptDelaySec);

/** Callers may name anything; a hash keeps the key short and free of odd characters. */
const hashOf = (account: string): string => sha256(account.trim().toLowerCase());

/** How many may be wrong in how many seconds; `times` as many as of one. */
const attemptsOf = ({ options }: AttemptDeps, times = 1): [limit: number, windowSec: number] => [
  options.get('CriticalRateLimitCount') * times,
  options.get('CriticalRateLimitMinutes') * 60,
];
