/** The opening of every call that is paid for: nothing goes up before what it may cost is held. */
import type { CallQuote } from '../billing/price.ts';
import { goesByLength, type ReserveStep } from '../core/price-bound.ts';
import { type ToolUses, toolCost, withTools } from '../core/price-formula.ts';
import { NO_READING, type Reading } from '../core/tool-reading.ts';
import type { Caller } from '../modules/token/callers.ts';
import type { Call, RateLimitTicket } from './charge/call.ts';
import { reserve } from './charge/reserve.ts';
import { refusalCost } from './charge/tool-need.ts';
import type { RelayDeps } from './deps.ts';
import { checkPrompt } from './entry/sensitive.ts';
import type { RelayRequest } from './request.ts';

interface Asked {
  request: RelayRequest;
  caller: Caller;
  ticket: RateLimitTicket;
}

/** What a call costs, and the tools that may cost something besides. */
interface Priced extends Partial<Pick<Call, 'toolPrices'>> {
  quote: CallQuote;
  /** How often each of them is held for. */
  uses?: ToolUses;
  reading?: Reading;
  /** A refusal may cost something. */
  refusals?: boolean;
}

/** Holds what the call may cost, if it may be asked at all. What refuses it gives back what only successes count. */
export async function openCall(
  { request, caller, ticket }: Asked,
  priceOf: () => Priced,
  deps: RelayDeps,
): Promise<Call> {
  try {
    await checkPrompt(request, deps);
    const { quote, toolPrices = {}, uses = {}, reading = NO_READING, refusals = false } = priceOf();
    const withUses = withTools(quote, uses, toolPrices);
    const least = refusals ? refusalCost(quote, toolPrices) : 0;
    const { amount: held, ...caps } = await reserve(request, caller, withUses, { reading, least }, deps);
    return {
      request: { ...limited(request, caps), isHeldByLength: goesByLength(quote) },
      caller,
      quote,
      toolPrices,
      held,
      heldForTools: toolCost(quote, uses, toolPrices),
      reading,
      ticket,
      failed: [],
      isSettled: false,
    };
  } catch (error) {
    ticket.failed();
    throw error;
  }
}

/** The request as if its caller had limited the output himself, and what is thought beside it. */
function limited(
  request: RelayRequest,
  { cap, thoughts: thought }: Omit<ReserveStep, 'amount'>,
): RelayRequest {
  const { dialect, body, facts } = request;
  const thoughts = facts.thoughts && { ...facts.thoughts, cap: thought };
  const known = thoughts ? { ...request, facts: { ...facts, thoughts } } : request;
  if (cap === null || !dialect.withOutputCap) return known;
  return { ...known, body: dialect.withOutputCap(body, cap), facts: { ...known.facts, outputCap: cap } };
}
