/** The story of a relayed call. */
import { type AppError, fail } from '../core/errors.ts';
import type { Tier } from '../modules/channel/model.ts';
import { type Admitted, routesFor } from './admit.ts';
import { attempt, serves, speaks } from './attempt.ts';
import { nextCandidate, Tried } from './candidates.ts';
import type { RelayDeps } from './deps.ts';
import { punish } from './punish.ts';
import { type Call, settleFailure } from './record.ts';
import { replyPlain, replyStream } from './reply.ts';
import type { RelayRequest } from './request.ts';
import { priceOf, reserve } from './reserve.ts';

/**
 * Serves a call of an authenticated caller: price, reserve, try channels, reply, settle. Throws what refuses it; once
 * quota is held, everything that was held is settled before this throws.
 */
export async function handle(request: RelayRequest, admitted: Admitted, deps: RelayDeps): Promise<Response> {
  const { caller, pinned } = admitted;
  const tiers = routesFor(admitted, request.facts.model, deps);
  checkServed(request, tiers);
  const quote = priceOf(request, caller, deps);
  const held = await reserve(request, caller, quote, tiers, deps);
  const call: Call = { request, caller, quote, held, failed: [] };

  const retries = pinned ? 0 : deps.options.get('RetryTimes');
  const tried = new Tried();
  for (let tries = 0; tries <= retries; tries++) {
    const candidate = nextCandidate(tiers, tried, (channel) => serves(channel, request));
    if (!candidate) break;
    tried.add(candidate);
    const startedAt = performance.now();
    const outcome = await attempt(request, candidate, deps);
    if (outcome.kind === 'plain') return replyPlain(call, outcome, deps);
    if (outcome.kind === 'stream') return replyStream(call, outcome, deps);
    if (outcome.kind === 'left') return giveUp(call, fail('client_gone'), deps);
    call.failed.push({ candidate, failure: outcome, ms: performance.now() - startedAt });
    punish(candidate, outcome, deps);
    if (!isKeysFault(outcome.status)) tried.ruleOut(candidate.channel);
    if (!outcome.retryable || request.left.aborted) break;
  }
  return giveUp(call, lastError(call), deps);
}

/** With another key of the same channel it may go better. */
const isKeysFault = (status: number): boolean => [401, 402, 403, 429].includes(status);

/** Refuses before any charge what no channel of the model serves at all. */
function checkServed(request: RelayRequest, tiers: readonly Tier[]): void {
  const isServed = tiers.some(({ channels }) => channels.some((channel) => speaks(channel, request)));
  if (!isServed) throw fail('operation_not_supported');
}

function lastError({ failed, request, caller }: Call): AppError {
  const { model } = request.facts;
  return (
    failed.at(-1)?.failure.error ?? fail('no_available_channel', { params: { group: caller.group, model } })
  );
}

async function giveUp(call: Call, error: AppError, deps: RelayDeps): Promise<never> {
  await settleFailure(call, error, deps);
  throw error;
}
