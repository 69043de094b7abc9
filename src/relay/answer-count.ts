/**
 * How many tokens a chat would take: asked of an upstream that can tell, else counted here. Nobody pays for the
 * question, so that nothing is held and no row is written.
 */
import { AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { promptTokens } from '../core/usage.ts';
import type { CountDialect } from '../dialects/plain/count-tokens.ts';
import type { Tier } from '../modules/channel/model.ts';
import type { Caller } from '../modules/token/callers.ts';
import { answerHeaders } from './answer/answer-headers.ts';
import type { FailedTry } from './charge/call.ts';
import { countUsage } from './charge/count.ts';
import { eligibleTiers } from './choose/eligible.ts';
import { checkRoom } from './choose/served.ts';
import { askInTurn } from './choose/turns.ts';
import type { RelayDeps } from './deps.ts';
import { takeOfMinute, takeTicket } from './entry/rate-limit.ts';
import type { Admitted, RelayRequest } from './request.ts';

/** Throws what is wrong with the request or the caller; an upstream that fails is no reason. */
export async function answerCount(
  request: RelayRequest,
  admitted: Admitted,
  deps: RelayDeps,
): Promise<Response> {
  const tiers = await eligibleTiers(request, admitted, deps);
  checkRoom(request, tiers);
  const retries = admitted.pinned ? 0 : deps.options.get('RetryTimes');
  await takeOfMinute('tokens:count', limits.countsAMinute, admitted.caller, deps);
  const ticket = await takeTicket(request, admitted.caller, deps);
  const text = await ask(request, admitted.caller, tiers, retries, deps)
    .then((told) => told ?? countHere(request))
    .catch((error: unknown) => {
      ticket.failed();
      throw error;
    });
  ticket.answered(0);
  const { userId, tokenId } = admitted.caller;
  request.ended({ status: 200, userId, tokenId });
  return new Response(text, { headers: answerHeaders(request.id, request.dialect) });
}

/** Null when no upstream could tell. Throws what an upstream says is wrong with the request. */
async function ask(
  request: RelayRequest,
  caller: Caller,
  tiers: readonly Tier[],
  retries: number,
  deps: RelayDeps,
): Promise<string | null> {
  const failed: FailedTry[] = [];
  const outcome = await askInTurn(request, { caller, tiers, retries, failed }, deps);
  if (outcome?.kind === 'plain') return outcome.text;
  if (outcome && outcome.kind !== 'unshown') throw fail('client_gone');
  const error = failed.at(-1)?.failure.error;
  if (error?.code === 'upstream_rejected') throw error;
  return null;
}

async function countHere(request: RelayRequest): Promise<string> {
  const { dialect, facts } = request;
  if (!isCount(dialect)) throw new AppError('internal', { internal: `${dialect.id} counts nothing` });
  const tokens = promptTokens(await countUsage(request, facts.model, 0, 'question'));
  return JSON.stringify(dialect.count.writeReply(tokens));
}

const isCount = (dialect: RelayRequest['dialect']): dialect is CountDialect => 'count' in dialect;
