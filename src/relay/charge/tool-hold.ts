/** Holds once more for the paid tools that only the request as it goes up to one channel brings along. */
import { dearestUses, type PaidTools } from '../../core/paid-tools.ts';
import type { RelayDeps } from '../deps.ts';
import type { Call } from './call.ts';
import { extend, lackingFor } from './extend.ts';

/**
 * Holds for the paid tools of a request as it is about to go up: the operator's own fields, a conversion, or the name of
 * the model may have brought some along that the caller did not name. False when there is not enough.
 */
export async function holdTools(call: Call, held: PaidTools, deps: RelayDeps): Promise<boolean> {
  if (held.tools.length === 0) return true;
  const uses = dearestUses(held, call.toolPrices, deps.options.get('ToolMaxUses'));
  const amount = lackingFor(call, uses);
  if (amount <= 0) return true;
  if ((await extend(call, amount, deps)) === 'refused') return false;
  call.held += amount;
  call.heldForTools += amount;
  return true;
}
