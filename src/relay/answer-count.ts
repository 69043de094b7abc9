/**
 * How many tokens a chat would take: asked of an upstream that can tell, else counted here. Nobody pays for the
 * question, so that nothing is held and no row is written.
 */
import { AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { promptTokens } from '../core/usage.ts';
import type { CountCodec, CountDialect } from '../dialects/plain/count-tokens.ts';
import { SchemaSizes } from '../dialects/references.ts';
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
import { type Admitted, asReadBy, type RelayRequest } from './request.ts';

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
  const text = await counted(request, admitted.caller, tiers, retries, deps).catch((error: unknown) => {
    ticket.failed();
    throw error;
  });
  ticket.answered(0);
  const { userId, tokenId } = admitted.caller;
  request.ended({ status: 200, userId, tokenId });
  return new Response(text, { headers: answerHeaders(request.id, request.dialect) });
}

/** By an upstream, or here where none could tell. Throws what an upstream says is wrong with the request. */
async function counted(
  request: RelayRequest,
  caller: Caller,
  tiers: readonly Tier[],
  retries: number,
  deps: RelayDeps,
): Promise<string> {
  const failed: FailedTry[] = [];
  const outcome = await askInTurn(request, { caller, tiers, retries, failed }, deps);
  if (outcome?.kind === 'plain') return outcome.text;
  if (outcome && outcome.kind !== 'unshown') throw fail('client_gone');
  const error = failed.at(-1)?.failure.error;
  if (error?.code === 'upstream_rejected') throw error;
  // It would have gone up much longer than it came, at nobody's expense.
  const hasGrown = failed.some(({ failure }) => failure.error.code === 'body_too_large');
  return countHere(request, hasGrown);
}

async function countHere(request: RelayRequest, hasGrown: boolean): Promise<string> {
  const { dialect, facts } = request;
  if (!isCount(dialect)) throw new AppError('internal', { internal: `${dialect.id} counts nothing` });
  const asRead = asReadBy(request, { model: facts.model, channel: null });
  const written = promptTokens(await countUsage(asRead, facts.model, 0, 'question'));
  const tokens = hasGrown ? written + tokensPutIn(dialect.count, request) : written;
  return JSON.stringify(dialect.count.writeReply(tokens));
}

/** What comes to schemas with their references put in: as many as they may be, since nobody makes that text. */
function tokensPutIn(count: CountCodec, { body, path, facts: { prompt } }: RelayRequest): number {
  const { tokens } = new SchemaSizes().ofSchemas(count.readRequest(body, path));
  return Math.max(0, tokens - (prompt.tools?.tokens ?? 0));
}

const isCount = (dialect: RelayRequest['dialect']): dialect is CountDialect => 'count' in dialect;
