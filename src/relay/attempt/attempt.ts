/** One call to one channel. It answers what came of it and never throws for an upstream's fault. */
import { fail } from '../../core/errors.ts';
import { own } from '../../core/own.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import { countAttempt, countFailure } from '../../platform/request-figures.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { judged } from './account-words.ts';
import { callPlain } from './call-plain.ts';
import { openSession } from './open-session.ts';
import { openStream } from './open-stream.ts';
import { type Failure, type HearFailure, type Outcome, stopped, unaffordable } from './outcome.ts';
import { prepare } from './prepare.ts';
import { meaningOf } from './statuses.ts';
import { comesAtOnce } from './tool-limits.ts';

/** What an attempt needs of the call that it is made for. */
export interface Sponsor {
  /** Holds quota for the paid tools of what is about to go up; false when there is not enough. */
  hold(held: PaidTools, atOnce: boolean): Promise<boolean>;
  /** Hears of what goes wrong in an answer that has begun, from which channel and key may have to be disabled. */
  hear: HearFailure;
}

/** For a call that nobody pays for, and that is only asked to see what happens: a test. */
const NOBODY: Sponsor = { hold: async () => true, hear: () => undefined };

export async function attempt(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
  sponsor = NOBODY,
): Promise<Outcome> {
  const outcome = await attemptOnce(request, candidate, deps, sponsor);
  const isRefused = outcome.kind === 'failed' && meaningOf(outcome.status).mayBeStale === true;
  // A token of the key's may have been taken back before its time: with a new one it may go better.
  const isStale = isRefused && findProvider(candidate.channel.type)?.forget?.(candidate.key.value);
  const last = isStale ? await attemptOnce(request, candidate, deps, sponsor) : outcome;
  if (last.kind !== 'failed') return last;
  const failure = judged(last, request, deps);
  countFailure(deps.metrics, candidate.channel.id, failure.blame);
  return withMappedStatus(failure, candidate.channel);
}

async function attemptOnce(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
  sponsor: Sponsor,
): Promise<Outcome> {
  const prepared = await prepare(request, candidate, deps);
  // The grace of a stop is over: nobody is asked any more.
  if (deps.stopping.signal.aborted) return stopped();
  if ('kind' in prepared) return prepared;
  if (!(await sponsor.hold(prepared.held, comesAtOnce(request, prepared.provider)))) return unaffordable();
  if (request.left.aborted) return { kind: 'left' };
  const startedAt = performance.now();
  const way = request.upgrade ? openSession : request.facts.stream ? openStream : callPlain;
  const outcome = await way(request, prepared, deps, sponsor.hear);
  countAttempt(deps.metrics, candidate.channel.id, outcome.kind, (performance.now() - startedAt) / 1000);
  if (outcome.kind !== 'failed') return outcome;
  return prepared.passage.converted ? inCallersWords(outcome) : outcome;
}

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
