/**
 * Asks one channel after another until one answers: the one loop of everything that is asked of upstreams. What failed
 * opens its circuit breaker, and is disabled when it is finished; retries have their budget and their time.
 */
import type { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { type Candidate, ownKeyOf, type Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { type AttemptHooks, attempt } from '../attempt/attempt.ts';
import type { Failure, Outcome } from '../attempt/outcome.ts';
import type { Call, FailedTry } from '../charge/call.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs, isFree, type RelayRequest } from '../request.ts';
import { noteStream, resultOf } from './call-result.ts';
import { nextCandidate, Tried } from './candidates.ts';
import { choiceOf } from './choice.ts';
import type { CallResult } from './circuit-breaker.ts';
import { disableRefused } from './disable.ts';
import { noChannel } from './no-channel.ts';
import { ANY_MODEL } from './own-breakers.ts';
import { backOffMs } from './retry-budget.ts';
import { channelSeen, keySeen } from './witnesses.ts';

export interface Plan {
  caller: Caller;
  /** Whom to ask, best tier first. */
  tiers: readonly Tier[];
  /** Asked again at most so often. */
  retries: number;
  /** Gets every try that came to nothing, in order. */
  failed: FailedTry[];
  /** Absent where nobody pays. */
  hold?: AttemptHooks['hold'];
}

/** Nothing is held for a call that nobody pays for. */
const forNobody: AttemptHooks['hold'] = async () => true;

/**
 * The first outcome that is no failure; null when all failed, or nobody could be asked. Throws `own_key_resting`, after
 * which nobody is asked.
 */
export async function askInTurn(
  request: RelayRequest,
  { caller, tiers, retries, failed, hold = forNobody }: Plan,
  all: RelayDeps,
): Promise<Exclude<Outcome, Failure> | null> {
  const deps = isFree(request) ? { ...all, ...all.ofFree } : all;
  const ownKey = ownKeyOf(tiers);
  const { model } = request.facts;
  const breakers = ownKey ? deps.ownBreakers.of(ownKey.userId) : deps.breakers;
  const tried = new Tried(deps.turns);
  const choice = { ...choiceOf(request, caller, tiers, { breakers }), model: ownKey ? ANY_MODEL : model };
  const next = () => nextCandidate(tiers, tried, choice);
  deps.retries.of(request.userId).earn();
  deps.unopened.of(request.userId).earn();
  let asked = 0;
  let unserved = 0;
  let wasAsked = false;
  while (asked <= retries && unserved <= limits.unservedMost) {
    const isFirst = asked + unserved === 0;
    const retry = wasAsked ? asked : null;
    if (!isFirst && !(next() && (await mayGoOn(request, { retry, last: failed.at(-1) }, deps)))) break;
    // Chosen after the wait, in which another call may have begun the probe of a half-open one.
    const candidate = next();
    if (!candidate) break;
    const refusal = ownKey && deps.ownBreakers.refusal(candidate, ownKey, model);
    if (refusal) throw refusal;
    tried.add(candidate);
    const startedAt = performance.now();
    if (ownKey) deps.ownBreakers.begin(candidate, ownKey, model);
    else breakers.begin(candidate, model);
    const answered = quarterNotes(candidate, startedAt, request, deps);
    const onFailure = (failure: Failure) => disableRefused(candidate, failure, request, deps);
    const note = (result: CallResult) => {
      noteWitness(candidate, result, request, deps);
      if (ownKey) deps.ownBreakers.note(candidate, ownKey, model, result);
      else breakers.note(candidate, model, result);
      answered(result);
    };
    const outcome = await attempt(request, candidate, deps, { hold, onFailure }).catch((error) => {
      note({ kind: 'ignored' });
      throw error;
    });
    if (outcome.kind === 'stream') noteStream(outcome, note);
    else note(resultOf(outcome, { isOwnKey: ownKey !== undefined }));
    if (outcome.kind !== 'failed') return outcome;
    // What a channel has no words for did not reach it; nor did what a balance does not carry, for which each such try
    // costs a statement of the database.
    wasAsked = outcome.fault !== 'unserved';
    if (wasAsked || outcome.error.code === 'insufficient_user_quota') asked++;
    else unserved++;
    failed.push({ candidate, failure: outcome, ms: performance.now() - startedAt });
    onFailure(outcome);
    if (!outcome.mayBeKey) tried.ruleOut(candidate.channel);
    if (!outcome.retryable || request.left.aborted) break;
  }
  return null;
}

/** Why nobody has answered: what the last of them said. */
export const lastError = ({
  failed,
  caller,
  request,
}: Pick<Call, 'failed' | 'caller' | 'request'>): AppError =>
  failed.at(-1)?.failure.error ?? noChannel(caller, request.facts.model);

/** Counts for the channel's day what came of asking it for what is paid, once; how long it took is until the first words of a stream. */
function quarterNotes(
  { channel }: Candidate,
  startedAt: number,
  request: RelayRequest,
  { quarters }: RelayDeps,
): (result: CallResult) => void {
  let firstMs: number | null = null;
  return ({ kind }) => {
    if (channel.ownKey || isFree(request) || kind === 'ignored') return;
    const ms = performance.now() - startedAt;
    if (kind === 'begun') firstMs = ms;
    else if (kind !== 'success') quarters.add(channel.id, 'failed', ms);
    else {
      const isSlow = firstMs === null ? ms > limits.slowAnswerMs : firstMs > limits.slowBeginMs;
      quarters.add(channel.id, isSlow ? 'slow' : 'ok', firstMs ?? ms);
    }
  };
}

/** Of a caller's own key he alone is a witness. */
function noteWitness(
  { channel, key }: Candidate,
  { kind }: CallResult,
  request: RelayRequest,
  { witnesses }: RelayDeps,
): void {
  if (channel.ownKey) return;
  if (kind === 'failure' || kind === 'silence') witnesses.saw(channelSeen(channel), request);
  if (kind !== 'success' && kind !== 'begun') return;
  witnesses.forget(channelSeen(channel));
  witnesses.forget(keySeen(key));
}

/**
 * Whether the next one may be asked. As the nth retry it waits a little. The first is each call's own: a channel of many models
 * that goes down fails five calls of each before it is left alone. Of more each user has few, and of what is his own fault.
 */
async function mayGoOn(
  request: RelayRequest,
  { retry, last }: { retry: number | null; last: FailedTry | undefined },
  { retries }: RelayDeps,
): Promise<boolean> {
  if (elapsedMs(request) > limits.retryWithinMs) return false;
  if (retry === null) return true;
  const isOwn = retry === 1 && last?.failure.blame !== 'caller';
  if (!isOwn && !retries.of(request.userId).spend()) return false;
  await Bun.sleep(backOffMs(retry));
  return !request.left.aborted;
}
