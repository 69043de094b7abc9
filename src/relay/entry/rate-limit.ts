/**
 * How often and how much users and tokens may call. What a call takes from these limits is counted before it is made,
 * all or nothing; its tokens are put right when they are known, and what only successes count is given back on failure.
 */
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import { MINUTE_SEC } from '../../core/time.ts';
import { type Caller, isKeyed } from '../../modules/token/callers.ts';
import { keptByVersion } from '../../options/by-version.ts';
import type { Options } from '../../options/store.ts';
import { allFit, type LimitRule, type LimitState, networkRules, type Slot } from '../../platform/limiter.ts';
import type { RateLimitTicket } from '../charge/call.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';

const FREE: RateLimitTicket = { headers: {}, answered: () => undefined, failed: () => undefined };

/** What a rule counts. */
type Counts = 'requests' | 'successes' | 'tokens';

interface Rule extends LimitRule {
  counts: Counts;
  cost: number;
}

/** Throws rate_limit_exceeded, with when to come again; then nothing is counted. */
export async function takeTicket(
  request: RelayRequest,
  caller: Caller,
  deps: Pick<RelayDeps, 'options' | 'limiter' | 'log'>,
): Promise<RateLimitTicket> {
  const { limiter, log, options } = deps;
  const bounds = boundsOf(options);
  // No call need look at each of them.
  if (!bounds) return FREE;
  const rules = rulesFor(request, caller, bounds, options);
  const slot = slotFor(request, caller, bounds);
  if (rules.length === 0 && !slot) return FREE;
  if (slot && !(await limiter.enter(slot))) throw fail('too_many_streams', { retryAfterSec: 1 });
  const states = rules.length === 0 ? [] : await limiter.takeAll(rules);
  const headers = headersOf(rules, states);
  if (states.some(({ ok }) => !ok)) {
    if (slot) await limiter.leave(slot);
    const retryAfterSec = Math.max(...states.map((state) => state.retryAfterSec));
    throw fail('rate_limit_exceeded', { retryAfterSec, headers });
  }
  let isOver = false;
  const end = (amountOf: (rule: Rule) => number): void => {
    if (isOver) return;
    isOver = true;
    const amounts = rules
      .map((rule) => ({ rule, amount: amountOf(rule) }))
      .filter(({ amount }) => amount !== 0);
    const work = amounts.map(({ rule, amount }) => limiter.add(rule, amount));
    if (slot) work.push(limiter.leave(slot));
    Promise.all(work).catch((error: unknown) => log.warn('relay.limits', { error }));
  };
  return {
    headers,
    answered: (tokens) => end(({ counts, cost }) => (counts === 'tokens' ? tokens - cost : 0)),
    failed: () => end(({ counts, cost }) => (counts === 'requests' ? 0 : -cost)),
  };
}

/** What the operator bounds, read once a change of the options; null for nothing, as on most sites. */
const boundsOf = keptByVersion((options) => {
  const bounds = {
    byModel: options.get('ModelRequestRateLimitEnabled'),
    userRequests: options.get('UserRequestsPerMinute'),
    userTokens: options.get('UserTokensPerMinute'),
    tokenRequests: options.get('TokenRequestsPerMinute'),
    tokenTokens: options.get('TokenTokensPerMinute'),
    streams: options.get('UserConcurrentStreams'),
  };
  return Object.values(bounds).some((bound) => Number(bound) > 0) ? bounds : null;
});
type Bounds = NonNullable<ReturnType<typeof boundsOf>>;

function rulesFor(request: RelayRequest, caller: Caller, bounds: Bounds, options: Options): Rule[] {
  const { userId, identity } = caller;
  const rules: Rule[] = [];
  const add = (counts: Counts, key: string, limit: number, windowSec: number, cost: number) => {
    // A call that is larger than the whole limit may be made when nothing else is.
    if (limit > 0 && windowSec > 0)
      rules.push({ counts, key, limit, windowSec, cost: Math.min(cost, limit) });
  };
  if (bounds.byModel) {
    const [total, successes] = modelLimits(caller.group, options);
    const windowSec = options.get('ModelRequestRateLimitDurationMinutes') * MINUTE_SEC;
    add('requests', `model:all:${userId}`, total, windowSec, 1);
    add('successes', `model:good:${userId}`, successes, windowSec, 1);
  }
  const prompt = Math.max(roughTokens(request), 1);
  add('requests', `user:requests:${userId}`, bounds.userRequests, MINUTE_SEC, 1);
  add('tokens', `user:tokens:${userId}`, bounds.userTokens, MINUTE_SEC, prompt);
  if (isKeyed(caller)) {
    add('requests', `token:requests:${identity}`, bounds.tokenRequests, MINUTE_SEC, 1);
    add('tokens', `token:tokens:${identity}`, bounds.tokenTokens, MINUTE_SEC, prompt);
  }
  return rules;
}

/** Most calls, and most successful ones, of a group; 0 and -1 are no limit. */
function modelLimits(group: string, options: Options): readonly [number, number] {
  return (
    own(options.get('ModelRequestRateLimitGroup'), group) ?? [
      options.get('ModelRequestRateLimitCount'),
      options.get('ModelRequestRateLimitSuccessCount'),
    ]
  );
}

function slotFor({ id, facts }: RelayRequest, { userId }: Caller, { streams: limit }: Bounds): Slot | null {
  return facts.stream && limit > 0 ? { key: `streams:${userId}`, limit, id } : null;
}

/** Four bytes a token is about right for most texts. */
const roughTokens = ({ facts }: RelayRequest): number => Math.ceil(facts.prompt.textBytes / 4);

/** The names that OpenAI's clients know; of several limits that count the same the one with the least left is told. */
function headersOf(rules: readonly Rule[], states: readonly LimitState[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, isTold] of [
    ['requests', (counts: Counts) => counts !== 'tokens'],
    ['tokens', (counts: Counts) => counts === 'tokens'],
  ] as const) {
    let tightest: { limit: number; state: LimitState } | null = null;
    for (const [i, { counts, limit }] of rules.entries()) {
      const state = states[i];
      if (!state || !isTold(counts)) continue;
      if (!tightest || state.remaining < tightest.state.remaining) tightest = { limit, state };
    }
    if (!tightest) continue;
    headers[`x-ratelimit-limit-${name}`] = String(tightest.limit);
    headers[`x-ratelimit-remaining-${name}`] = String(tightest.state.remaining);
    headers[`x-ratelimit-reset-${name}`] = duration(tightest.state.resetSec);
  }
  return headers;
}

/** As OpenAI writes it: 59s, 1m0s, 1h0m0s. */
export function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

/** Of what costs no quota, one user has so many a minute. Throws `rate_limit_exceeded`. */
export async function takeOfMinute(
  what: string,
  limit: number,
  { userId }: Pick<Caller, 'userId'>,
  { limiter }: Pick<RelayDeps, 'limiter'>,
): Promise<void> {
  await takeAll(limiter, [{ key: `${what}:${userId}`, limit, windowSec: MINUTE_SEC }]);
}

/** Of what guests may ask for, one network has so many a minute. Throws `rate_limit_exceeded`. */
export async function takeOfNetwork(
  what: string,
  limit: number,
  ip: string,
  { limiter }: Pick<RelayDeps, 'limiter'>,
): Promise<void> {
  await takeAll(limiter, networkRules(what, limit, MINUTE_SEC, ip));
}

/** What somebody tries who has no good key or secret: he is slowed down. Throws `rate_limit_exceeded`. */
export const takeOfTries = (what: string, ip: string, deps: Pick<RelayDeps, 'limiter'>): Promise<void> =>
  takeOfNetwork(what, limits.badKeysAMinute, ip, deps);

/** A stranger who looked for too much that is none is refused in the relay's words: throws `rate_limit_exceeded`. */
export async function inRelaysWords<T>(looked: Promise<T>): Promise<T> {
  try {
    return await looked;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'RATE_LIMIT')) throw error;
    throw fail('rate_limit_exceeded', { retryAfterSec: error.detail.retryAfterSec });
  }
}

async function takeAll(limiter: RelayDeps['limiter'], rules: readonly LimitRule[]): Promise<void> {
  const { ok, retryAfterSec } = allFit(await limiter.takeAll(rules));
  if (!ok) throw fail('rate_limit_exceeded', { retryAfterSec });
}
