/**
 * Pictures of a hosted tool, where its vendor tells the tokens that he bills for them and is the one who bills: they cost
 * these, at the price of the model that drew, and not the price of a usual one of their quality. So does what he has drawn, or
 * read, for pictures that never came.
 */
import { quoteFor } from '../../billing/price.ts';
import { drawingTokens } from '../../core/drawing-tokens.ts';
import { limits } from '../../core/limits.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import { type DoneBeside, quotaOf, type ToolUses, toolCost } from '../../core/price-formula.ts';
import { allTokens, completionTokens } from '../../core/usage.ts';
import type { VendorBill } from '../../core/vendor-bill.ts';
import { type Drawing, isDrawing, picturesDrawn } from '../../dialects/tool-uses.ts';
import type { Options } from '../../options/store.ts';
import type { Call } from './call.ts';

/** OpenAI chooses among its own where none is named; of those that it tells of, the tokens are this one's. */
const USUAL = 'gpt-image-2';
/** No other model draws for it, whatever is sold here by the name that a caller gives. */
const DRAWERS = 'gpt-image-';

/** What is told is believed up to so many times what its pictures cost by their quality, or one where none came, */
const MOST_TIMES = 10;
/** and from so many times less than the least that they can take: gateways fill in what they do not count. */
const LEAST_TIMES = 10;

interface Told {
  /** As the request went up. */
  paid: PaidTools;
  /** How often tools were used, as the answer tells it. */
  uses: ToolUses;
  drawing: Drawing | undefined;
  bill: VendorBill;
}

interface Drawn {
  /** The uses that are charged as such. */
  uses: ToolUses;
  drawn?: DoneBeside;
  /** More was told than is believed. */
  suspect: boolean;
}

/** What is charged of an answer with these uses of tools. */
export function withDrawn(
  { caller, quote, toolPrices }: Pick<Call, 'caller' | 'quote' | 'toolPrices'>,
  uses: ToolUses,
  told: Told,
  options: Options,
): Drawn {
  const asUses = { uses, suspect: false };
  const { drawing, bill } = told;
  if (!bill.picturesByToken || !drawing || allTokens(drawing.usage) === 0) return asUses;
  const pictures = picturesDrawn(told.uses);
  const costs = pictures > 0 ? [only(uses, isDrawing)] : oneOfEach(told.paid);
  const cost = Math.max(0, ...costs.map((each) => toolCost(quote, each, toolPrices)));
  // What costs nothing as a use costs nothing: with the caller's own key, or where the operator gives it away.
  if (cost === 0) return asUses;
  const { usage } = drawing;
  if (allTokens(usage) > limits.maxTokensCap) return { uses, suspect: true };
  const { group, userGroup } = caller;
  const { groupRatio, userGroupRatio, source, selfUse } = quote;
  const all: { drawn: DoneBeside; due: number }[] = [];
  for (const model of drawersOf(told.paid, drawing)) {
    const priced = quoteFor(options, { model, group, userGroup, acceptUnset: false });
    if (!model.startsWith(DRAWERS) || !priced || priced.source === 'unset' || priced.price.kind === 'call') {
      return asUses;
    }
    if (completionTokens(usage) * LEAST_TIMES < drawingTokens(model, { quality: 'low' }) * pictures) {
      return asUses;
    }
    const price = { kind: 'tokens', ratios: priced.price.ratios } as const;
    const due = quotaOf({ price, groupRatio, userGroupRatio, source, selfUse }, usage);
    all.push({ drawn: { model, price, usage, calls: 1 }, due });
  }
  const [dearest] = all.toSorted((a, b) => b.due - a.due);
  if (!dearest) return asUses;
  if (dearest.due > MOST_TIMES * cost) return { uses, suspect: true };
  return { uses: only(uses, (tool) => !isDrawing(tool)), drawn: dearest.drawn, suspect: false };
}

const only = (uses: ToolUses, isWanted: (tool: string) => boolean): ToolUses =>
  Object.fromEntries(Object.entries(uses).filter(([tool]) => isWanted(tool)));

/** Of a picture that never came: it may have been any that was asked for. */
const oneOfEach = ({ tools }: PaidTools): ToolUses[] =>
  tools.flatMap(({ as }) => as.filter(isDrawing).map((name) => ({ [name]: 1 })));

/**
 * Who may have drawn, of which the dearest is charged: who was asked for, and whom the answer names. A gateway may heed no
 * wish, so that no caller chooses the price of what another one draws.
 */
function drawersOf({ tools }: PaidTools, { model }: Drawing): string[] {
  const asked = tools.filter(({ as }) => as.some(isDrawing));
  const drawers = asked.map(({ by }) => by ?? model ?? USUAL);
  return model === undefined ? drawers : [...drawers, model];
}
