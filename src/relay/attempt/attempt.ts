/** One call to one channel. It answers what came of it and never throws for an upstream's fault. */
import { fail } from '../../core/errors.ts';
import { own } from '../../core/own.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import { asIs } from '../../core/text.ts';
import {
  type Candidate,
  loggedId,
  type OwnKeyPlace,
  type RoutedChannel,
} from '../../modules/channel/model.ts';
import { countAttempt, countFailure } from '../../platform/request-figures.ts';
import { findProvider } from '../../providers/registry.ts';
import { owedByFailed, unshown } from '../answer/failed.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { comesAtOnce } from './body/tool-limits.ts';
import { callPlain } from './call-plain.ts';
import { judged } from './judged.ts';
import { openSession } from './open-session.ts';
import { openStream } from './open-stream.ts';
import { type Failure, type OnFailure, type Outcome, stopped, unaffordable } from './outcome.ts';
import { leaveReasoningOut, prepare } from './prepare.ts';
import { answerTo } from './prepared.ts';
import { meaningOf } from './statuses.ts';

/** What an attempt asks of the call that it is made for, and tells it. */
export interface AttemptHooks {
  /** Holds quota for the paid tools of what is about to go up; false when there is not enough. */
  hold(held: PaidTools, atOnce: boolean): Promise<boolean>;
  /** Hears of what goes wrong in an answer that has begun, from which channel and key may have to be disabled. */
  onFailure: OnFailure;
}

/** Of a call that nobody pays for, and that is only asked to see what happens: a test. */
const NO_HOOKS: AttemptHooks = { hold: async () => true, onFailure: () => undefined };

export async function attempt(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
  hooks = NO_HOOKS,
): Promise<Outcome> {
  const outcome = await attemptOnce(request, candidate, deps, hooks);
  // A token of the key's may have been taken back before its time: with a new one it may go better.
  const mayBeStale = mayGoAgain(outcome) && meaningOf(outcome.status).mayBeStale === true;
  const isStale = mayBeStale && findProvider(candidate.channel.type)?.forget?.(candidate.key.value);
  const last = isStale ? await attemptOnce(request, candidate, deps, hooks) : outcome;
  if (last.kind !== 'failed') return last;
  // What an upstream says may be about our account with it: that is nobody's to hear, and its key is to blame.
  const failure = judged(last, request, deps);
  countFailure(deps.metrics, loggedId(candidate.channel), failure.blame);
  const { ownKey } = candidate.channel;
  if (ownKey) return toItsOwner(failure, ownKey);
  const told = withMappedStatus(failure, candidate.channel);
  const { owes, error, blame } = told;
  // What a test of our own came to is its failure.
  if (!owes || request.isOwnTest) return told;
  // Whatever it tells of the account, nobody else is asked.
  hooks.onFailure(told);
  const { why, answer, came } = owes;
  const paid = { ...unshown(why, answer, error), came };
  const isOthers = blame === 'caller' || blame === 'nobody';
  return why === 'failed' && isOthers ? { ...paid, blame } : paid;
}

async function attemptOnce(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
  hooks: AttemptHooks,
): Promise<Outcome> {
  const prepared = await prepare(request, candidate, deps);
  // The grace of a stop is over: nobody is asked any more.
  if (deps.stopping.signal.aborted) return stopped();
  if ('kind' in prepared) return prepared;
  if (!(await hooks.hold(prepared.held, comesAtOnce(request, prepared.provider)))) return unaffordable();
  if (request.left.aborted) return { kind: 'left' };
  request.whenSent(() => {
    prepared.upstream = { ...prepared.upstream, body: '' };
  });
  const startedAt = performance.now();
  const call = request.upgrade ? openSession : request.facts.stream ? openStream : callPlain;
  const outcome = await call(request, prepared, deps, hooks.onFailure);
  countAttempt(
    deps.metrics,
    loggedId(candidate.channel),
    outcome.kind,
    (performance.now() - startedAt) / 1000,
  );
  if (outcome.kind !== 'failed') return outcome;
  if (
    mayGoAgain(outcome) &&
    outcome.isOfSeal &&
    prepared.bringsReasoning &&
    deps.unopened.of(request.userId).spend()
  ) {
    // Its model thinks anew. It does not come here again, now that it brings none.
    leaveReasoningOut(request);
    const again = await attemptOnce(request, candidate, deps, hooks);
    // The next calls of its talk leave that out before they are asked. The answer does not wait for it.
    if (isGiven(again) && prepared.sealMarks) void request.sealedBy?.refusedBy(prepared.sealMarks);
    return again;
  }
  const answer = answerTo(prepared);
  const owed = owedByFailed(outcome, request, prepared);
  // Who has left hears of nothing, and says nothing of a channel.
  if (owed?.why === 'left') return unshown('left', answer, fail('client_gone'));
  const told = prepared.passage.converted ? inCallersWords(outcome) : outcome;
  const failure = { ...told, came: undefined };
  return owed ? { ...failure, retryable: false, owes: { ...owed, answer } } : failure;
}

const isGiven = ({ kind }: Outcome): boolean => kind === 'plain' || kind === 'stream';

const mayGoAgain = (outcome: Outcome): outcome is Failure =>
  outcome.kind === 'failed' && !outcome.hasGivenWay;

/** Classes and fields of another dialect mean nothing to the caller; the codes of many vendors are OpenAI's. */
function inCallersWords(failure: Failure): Failure {
  const { code, detail } = failure.error;
  const said = detail.upstream?.code;
  if (!detail.upstream) return failure;
  const upstream = said !== undefined && /^[a-z][a-z_]*$/.test(said) ? { code: said } : {};
  return { ...failure, error: fail(code, { ...detail, upstream }) };
}

/** The channel's own mapping changes what the caller sees and nothing else; a failure never becomes a success. */
function withMappedStatus(failure: Failure, { statusCodeMapping }: RoutedChannel): Failure {
  const status = own(statusCodeMapping, String(failure.status));
  if (status === undefined || status < 400 || status > 599) return failure;
  const { code, detail } = failure.error;
  return { ...failure, error: fail(code, { ...detail, status }) };
}

/** That a key is refused is a matter of the operator's, but for the caller's own: he is told. */
function toItsOwner(failure: Failure, { supplier }: OwnKeyPlace): Failure {
  if (failure.error.code !== 'upstream_auth') return failure;
  const { status: _, ...detail } = failure.error.detail;
  return { ...failure, error: fail('own_key_refused', { ...detail, params: { supplier: asIs(supplier) } }) };
}
