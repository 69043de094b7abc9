/** The story of a relayed call, from its arrival to its answer; what is left of it stands in `answer/reply.ts`. */

import { type AppError, fail } from '../core/errors.ts';
import { toolCost, withTools } from '../core/price-formula.ts';
import { asIs } from '../core/text.ts';
import type { Operation } from '../dialects/dialect.ts';
import type { Tier } from '../modules/channel/model.ts';
import type { Caller } from '../modules/token/callers.ts';
import { charged, toRelayError } from './answer/error-reply.ts';
import { replySocket } from './answer/realtime.ts';
import { replyPlain, replyStream, settleUnshown } from './answer/reply.ts';
import { modelOptions, withRoomToThink } from './attempt/body/model-options.ts';
import { toolsToHold } from './attempt/body/tools-ahead.ts';
import type { Call, RateLimitTicket } from './charge/call.ts';
import { withSizes } from './charge/estimate.ts';
import { settleFailure } from './charge/record.ts';
import { pricesOfTools, quoteOf, reserve } from './charge/reserve.ts';
import { holdTools } from './charge/tool-hold.ts';
import { byAnswerAffinity } from './choose/answer-affinity.ts';
import { checkTools, eligibleTiers } from './choose/eligible.ts';
import { checkServed } from './choose/served.ts';
import { askInTurn } from './choose/turns.ts';
import type { RelayDeps } from './deps.ts';
import { answerCount } from './entry/count-call.ts';
import type { Incoming } from './entry/incoming.ts';
import { takeTicket } from './entry/rate-limit.ts';
import { receive } from './entry/receive.ts';
import { refuse } from './entry/refusal.ts';
import { startReport } from './entry/report.ts';
import { checkPrompt } from './entry/sensitive.ts';
import { submitTask } from './entry/task-call.ts';
import { callTool } from './entry/tool-call.ts';
import { type Admitted, elapsedMs, type RelayRequest } from './request.ts';

/** What no channel answers, or nobody pays for. */
const SERVED_OTHERWISE: Partial<Record<Operation, typeof relay>> = {
  'count-tokens': answerCount,
  tool: callTool,
  task: submitTask,
};

/** Answers a call in its caller's dialect, whatever becomes of it. Never rejects. The process waits for it at a stop. */
export async function handle(incoming: Incoming, deps: RelayDeps): Promise<Response> {
  deps.stopping.enter();
  const report = startReport(incoming.request, incoming.ip, deps);
  try {
    const { request, admitted } = await receive(incoming, report, deps);
    const serve = SERVED_OTHERWISE[request.operation] ?? relay;
    return await serve(request, admitted, deps);
  } catch (thrown) {
    return refuse(thrown, incoming, report, deps);
  } finally {
    deps.stopping.leave();
  }
}

/** Serves a call of an authenticated caller. Throws what refuses it or went wrong, and then nothing is held any more. */
async function relay(asked: RelayRequest, admitted: Admitted, deps: RelayDeps): Promise<Response> {
  const thinking = withRoomToThink(asked, modelOptions(deps.options));
  const { caller, pinned } = admitted;
  const { model, previousAnswer } = thinking.facts;
  checkTools(thinking, caller);
  const eligible = await eligibleTiers(thinking, admitted, deps);
  const { tiers, tokens } =
    previousAnswer === null
      ? { tiers: eligible, tokens: null }
      : await byAnswerAffinity(caller, { id: previousAnswer, model }, eligible, deps);
  const request = withSizes(thinking, tiers, tokens);
  checkServed(request, tiers);
  const ticket = await takeTicket(request, caller, deps);
  const call = await begin(request, caller, { tiers, ticket }, deps).catch((error: unknown) => {
    ticket.failed();
    throw error;
  });
  try {
    return await answer(call, tiers, pinned ? 0 : deps.options.get('RetryTimes'), deps);
  } catch (error) {
    if (!call.isSettled) await settleFailure(call, toRelayError(error), deps);
    throw error;
  }
}

/** Holds what the call may cost, if it may be asked at all. */
async function begin(
  request: RelayRequest,
  caller: Caller,
  { tiers, ticket }: { tiers: readonly Tier[]; ticket: RateLimitTicket },
  deps: RelayDeps,
): Promise<Call> {
  await checkPrompt(request, deps);
  const quote = quoteOf(request, caller, tiers, deps);
  const prices = pricesOfTools(quote, deps);
  const { uses, reading } = toolsToHold(request, quote, tiers, deps);
  const withUses = withTools(quote, uses, prices);
  const { amount: held, cap } = await reserve(request, caller, withUses, { tiers, reading }, deps);
  return {
    request: withCap(request, cap),
    caller,
    quote,
    toolPrices: prices,
    held,
    heldMs: elapsedMs(request),
    heldForTools: toolCost(quote, uses, prices),
    reading,
    ticket,
    failed: [],
    isSettled: false,
  };
}

/** The request as if its caller had limited the output himself. */
function withCap(request: RelayRequest, outputCap: number | null): RelayRequest {
  const { dialect, body, facts } = request;
  if (outputCap === null || !dialect.withOutputCap) return request;
  return { ...request, body: dialect.withOutputCap(body, outputCap), facts: { ...facts, outputCap } };
}

/** Gives the answer of the first channel that has one. */
async function answer(
  call: Call,
  tiers: readonly Tier[],
  retries: number,
  deps: RelayDeps,
): Promise<Response> {
  const { request, caller, failed } = call;
  const outcome = await askInTurn(
    request,
    { caller, tiers, retries, failed, hold: (held, atOnce) => holdTools(call, held, atOnce, deps) },
    deps,
  );
  if (outcome) request.sent();
  switch (outcome?.kind) {
    case 'plain':
      return replyPlain(call, outcome, deps);
    case 'stream':
      return replyStream(call, outcome, deps);
    case 'socket':
      return replySocket(call, outcome, deps);
    case 'left':
      throw fail('client_gone');
    case 'unshown':
      await settleUnshown(call, outcome, deps);
      throw charged(outcome.error);
  }
  throw lastError(call);
}

function lastError({ failed, request, caller }: Call): AppError {
  const { model } = request.facts;
  return (
    failed.at(-1)?.failure.error ??
    fail('no_available_channel', { params: { group: asIs(caller.group), model: asIs(model) } })
  );
}
