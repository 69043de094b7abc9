/**
 * What is held for a call beyond its reservation: paid tools that only the request as it goes upstream may set off, and
 * whatever a stream comes to. What is refused never goes up, or ends.
 */
import { dearestUses, type PaidTools, usesAhead } from '../core/paid-tools.ts';
import { outputCovered, type ToolUses, toolCost } from '../core/price-formula.ts';
import type { StreamAnswer } from './attempt.ts';
import type { RelayDeps } from './deps.ts';
import { promptBoundOf } from './estimate.ts';
import type { Call } from './record.ts';

function extend({ request, caller }: Call, amount: number, { billing }: RelayDeps) {
  const { userId, tokenId } = caller;
  return billing.extend({ id: request.id, userId, tokenId, amount });
}

/** Quota units that these uses cost beyond what is held for tools. */
const lacking = ({ quote, toolPrices, heldForTools }: Call, uses: ToolUses): number =>
  toolCost(quote, uses, toolPrices) - heldForTools;

/**
 * Holds for the paid tools of a request as it is about to go up: the operator's own fields, a conversion, or the name of
 * the model may have brought some along that the caller did not name. False when there is not enough.
 */
export async function holdTools(call: Call, paid: PaidTools, deps: RelayDeps): Promise<boolean> {
  if (paid.tools.length === 0) return true;
  const uses = dearestUses(paid, call.toolPrices, deps.options.get('ToolMaxUses'));
  const amount = lacking(call, uses);
  if (amount <= 0) return true;
  if ((await extend(call, amount, deps)) === 'refused') return false;
  call.held += amount;
  call.heldForTools += amount;
  return true;
}

/** Share of the reservation that may be used up before more is asked for. */
const EXTEND_AT = 0.8;

/**
 * Holds as much again whenever a stream nears what is held, and for each use of a tool that is not covered as soon as it
 * begins. The stream does not wait; refused, it ends.
 */
export function extendAsItGrows(
  call: Call,
  { pump, meter, tools, paid }: StreamAnswer,
  deps: RelayDeps,
): void {
  const { request, quote } = call;
  const { facts } = request;
  const prompt = promptBoundOf(facts);
  const cap = meter.cap ?? Number.POSITIVE_INFINITY;
  const thresholdOf = ({ held, heldForTools }: Call): number => {
    const covered = outputCovered(quote, prompt, held - heldForTools, facts.audioOut);
    // What covers the caller's cap is exceeded only by an upstream that ignores it.
    return covered >= cap ? covered : covered * EXTEND_AT;
  };
  let threshold = thresholdOf(call);
  let toolsSeen = 0;
  let isAsking = false;

  const ask = (amount: number, forTools: number) => {
    isAsking = true;
    extend(call, amount, deps).then(
      (result) => {
        if (result === 'refused') return pump.stop('exhausted');
        call.held += amount;
        call.heldForTools += forTools;
        threshold = thresholdOf(call);
        isAsking = false;
        look();
      },
      // The database is away: a stream under way goes on, and its settlement waits on disk.
      (error: unknown) => deps.log.warn('relay.extend', { request_id: request.id, error }),
    );
  };
  const look = () => {
    if (isAsking || call.isSettled) return;
    if (tools && tools.looks !== toolsSeen) {
      toolsSeen = tools.looks;
      const amount = lacking(call, usesAhead(tools.uses, paid));
      if (amount > 0) return ask(amount, amount);
    }
    if (meter.tokens > threshold) ask(call.held - call.heldForTools, 0);
  };
  pump.onProgress = look;
}
