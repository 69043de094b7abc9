/** What the tools of an upstream may come to: uses that cost something, and what they read into the prompt. */
import { type PaidTools, REFUSED_CONTENT, type ToolPriceTable } from '../../core/paid-tools.ts';
import { promptCost } from '../../core/price-bound.ts';
import { type Quote, type ToolUses, toolCost } from '../../core/price-formula.ts';
import {
  mostOfReadings,
  mostRead,
  NOTHING_SHOWN,
  type Reading,
  readAhead,
  type UsualReading,
  type UsualUses,
} from '../../core/tool-reading.ts';
import type { Call } from './call.ts';
import { promptHeld } from './estimate.ts';

/** The options by which tools are weighed. */
export interface ToolOptions {
  get(key: 'ToolMaxUses' | 'ToolReadTokens'): UsualUses;
}

export const usualReading = (options: ToolOptions): UsualReading => ({
  uses: options.get('ToolMaxUses'),
  tokens: options.get('ToolReadTokens'),
});

/** What tools may come to. */
export interface ToolNeed {
  uses: ToolUses;
  reading: Reading;
}

/** Quota units that a refusal of what is said costs where its upstream charges for it: it comes instead of all else. */
export const refusalCost = (quote: Quote, prices: ToolPriceTable): number =>
  toolCost(quote, { [REFUSED_CONTENT]: 1 }, prices);

/**
 * What tools may read before more can be held: all, where an answer comes at once; of a stream, what one use of them
 * brings along, because more is held as each begins.
 */
export const readingToHold = (paid: PaidTools, usual: UsualReading, atOnce: boolean): Reading =>
  atOnce ? mostRead(paid, usual) : readAhead(paid, usual, NOTHING_SHOWN);

/** Quota units that tools may cost beyond what is held for them. */
export function lackingFor(
  {
    request,
    quote,
    toolPrices,
    heldForTools,
    reading: held,
  }: Pick<Call, 'quote' | 'toolPrices' | 'heldForTools' | 'reading'> & {
    request: Pick<Call['request'], 'facts'>;
  },
  { uses, reading }: ToolNeed,
): { forUses: number; forReading: number } {
  const costOf = (read: Reading) => promptCost(quote, promptHeld(request.facts, read));
  return {
    forUses: Math.max(toolCost(quote, uses, toolPrices) - heldForTools, 0),
    forReading: Math.max(costOf(mostOfReadings(reading, held)) - costOf(held), 0),
  };
}
