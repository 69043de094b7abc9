/** The story of a relayed call, from its arrival to its answer; what is left of it stands in `answer/reply-model.ts`. */

import { fail } from '../core/errors.ts';
import type { Operation } from '../dialects/dialect.ts';
import type { Tier } from '../modules/channel/model.ts';
import { charged, toRelayError } from './answer/error-reply.ts';
import { replySocket } from './answer/realtime.ts';
import { replyPlain, replyStream } from './answer/reply-model.ts';
import { settleUnshown } from './answer/settle.ts';
import { answerCount } from './answer-count.ts';
import { modelOptions, withRoomToThink } from './attempt/body/model-options.ts';
import { withSchemasSpelledOut } from './attempt/body/schemas-ahead.ts';
import { toolsToHold } from './attempt/body/tools-ahead.ts';
import { callTool } from './call-tool.ts';
import type { Call } from './charge/call.ts';
import { withSizes } from './charge/estimate.ts';
import { settleFailure } from './charge/record.ts';
import { pricesOfTools, quoteOf } from './charge/reserve.ts';
import { quoteOfThinker } from './charge/thoughts-beside.ts';
import { holdTools } from './charge/tool-hold.ts';
import { upstreamsOf } from './charge/upstreams.ts';
import { among, byAnswerAffinity, withWhatIsKept } from './choose/answer-affinity.ts';
import { checkTools, eligibleTiers } from './choose/eligible.ts';
import { withSealsKnown } from './choose/known-seals.ts';
import { checkServed } from './choose/served.ts';
import { askInTurn, lastError } from './choose/turns.ts';
import type { RelayDeps } from './deps.ts';
import type { Incoming } from './entry/incoming.ts';
import { takeTicket } from './entry/rate-limit.ts';
import { receive } from './entry/receive.ts';
import { refuse } from './entry/refusal.ts';
import { startReport } from './entry/report.ts';
import { openCall } from './open-call.ts';
import { type Admitted, elapsedMs, type RelayRequest } from './request.ts';
import { submitTask } from './submit-task.ts';

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
async function relay(given: RelayRequest, admitted: Admitted, deps: RelayDeps): Promise<Response> {
  const rules = modelOptions(deps.options);
  const { caller, pinned } = admitted;
  checkTools(given, caller);
  const allowed = await eligibleTiers(given, admitted, deps);
  const having = among(allowed, await withWhatIsKept(given, caller, deps));
  const asked = withRoomToThink(having.request, rules);
  const built = await byAnswerAffinity(caller, asked, { ...rules, tiers: having.tiers }, deps);
  const { tiers, earlier } = built;
  const sized = withSizes(built.request, tiers, earlier, rules.upstreamOf);
  const request = withSchemasSpelledOut(sized, tiers, deps);
  checkServed(request, tiers);
  const ticket = await takeTicket(request, caller, deps);
  const call = await openCall(
    { request, caller, ticket },
    () => {
      const upstreams = () => upstreamsOf(request.facts.model, tiers, rules.upstreamOf);
      const quote = quoteOfThinker(quoteOf(request, caller, tiers, deps), request, upstreams);
      const toolPrices = pricesOfTools(quote, deps);
      return { quote, toolPrices, ...toolsToHold(request, quote, tiers, deps) };
    },
    deps,
  );
  call.heldMs = elapsedMs(request);
  try {
    return await answer(call, tiers, pinned ? 0 : deps.options.get('RetryTimes'), deps);
  } catch (error) {
    if (!call.isSettled) await settleFailure(call, toRelayError(error), deps);
    throw error;
  }
}

/** Gives the answer of the first channel that has one. */
async function answer(
  call: Call,
  tiers: readonly Tier[],
  retries: number,
  deps: RelayDeps,
): Promise<Response> {
  const { caller, failed } = call;
  // Up to some thousands, of which nothing depends before somebody is asked.
  const request = await withSealsKnown(call.request, caller, tiers, deps);
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
