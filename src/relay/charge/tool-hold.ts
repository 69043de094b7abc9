/** Holds once more for the tools that only the request as it goes up to one channel brings along. */
import { dearestUses, hasTools, type PaidTools } from '../../core/paid-tools.ts';
import { mostOfReadings } from '../../core/tool-reading.ts';
import type { RelayDeps } from '../deps.ts';
import type { Call } from './call.ts';
import { extend } from './extend.ts';
import { lackingFor, readingToHold, refusalCost, usualReading } from './tool-need.ts';

/**
 * Holds for the tools of a request as it is about to go up: the operator's own fields, a conversion, or the name of
 * the model may have brought some along that the caller did not name; and for its refusal, which comes instead of all
 * else. False when there is not enough.
 */
export async function holdTools(
  call: Call,
  held: PaidTools,
  atOnce: boolean,
  deps: RelayDeps,
): Promise<boolean> {
  const refusal = held.refusals ? refusalCost(call.quote, call.toolPrices) : 0;
  if (!hasTools(held) && refusal <= call.held) return true;
  const usual = usualReading(deps.options);
  const uses = dearestUses(held, call.toolPrices, usual.uses);
  const reading = readingToHold(held, usual, atOnce);
  const { forUses, forReading } = lackingFor(call, { uses, reading });
  const amount = Math.max(forUses + forReading, refusal - call.held);
  if (amount <= 0) return true;
  if ((await extend(call, amount, deps)) === 'refused') return false;
  call.held += amount;
  call.heldForTools += forUses;
  call.reading = mostOfReadings(call.reading, reading);
  return true;
}
