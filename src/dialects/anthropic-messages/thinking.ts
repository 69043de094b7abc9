/** How much the model may think: Anthropic's `thinking` and `output_config.effort`. */

import type { JsonObject } from '../../core/json.ts';
import type { ThinkingWish } from '../../core/model-variant.ts';
import { canBeToldNot, thinksUnseen } from '../../core/thinkers.ts';
import type { RequestTarget } from '../codec.ts';
import type { WishPlace } from '../dialect.ts';
import { compact, numberOf, objectOf, oneOf } from '../fields.ts';
import type { ChatRequest, Reasoning } from '../neutral.ts';
import { proofOf } from './claude-proofs.ts';
import { traitsOf } from './models.ts';

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const MODES = { enabled: 'on', disabled: 'off', adaptive: 'adaptive' } as const;

export function readThinking(body: JsonObject): Reasoning | undefined {
  const thinking = objectOf(body.thinking);
  const type = oneOf(thinking?.type, ['enabled', 'disabled', 'adaptive']);
  const effort = oneOf(objectOf(body.output_config)?.effort, EFFORTS);
  if (!type && !effort) return undefined;
  const display = oneOf(thinking?.display, ['summarized', 'omitted']);
  return compact({
    mode: type && MODES[type],
    effort: type && effort,
    eagerness: type ? undefined : effort,
    budgetTokens: numberOf(thinking?.budget_tokens),
    show: display && display === 'summarized',
  });
}

interface WrittenThinking {
  thinking?: JsonObject;
  effort?: string;
}

/** The least budget that the service takes. */
const LEAST_BUDGET = 1024;
/** Budgets that stand for an effort on models that know no efforts. */
const BUDGETS = { low: 1280, medium: 2048, high: 4096, xhigh: 8192, max: 16_384 } as const;

export function writeThinking(
  request: ChatRequest,
  maxTokens: number,
  target: RequestTarget,
): WrittenThinking {
  const { reasoning } = request;
  if (!reasoning) return {};
  if (request.dialect === 'anthropic-messages') return writeOwn(reasoning);
  const { mode, effort, budgetTokens } = reasoning;
  const wanted = mode !== undefined || budgetTokens !== undefined || effort !== undefined;
  const traits = traitsOf(target.model);
  if (mode === 'off' || effort === 'none' || effort === 'minimal') return writeOff(target);
  if (!wanted) return {};
  if (forcesTool(request)) {
    // The service refuses thinking together with a forced tool.
    target.drop('reasoning');
    return {};
  }
  const adaptive = traits.adaptiveOnly || (traits.adaptive && budgetTokens === undefined);
  if (adaptive) {
    return compact({
      thinking: compact({
        type: 'adaptive',
        display: !traits.adaptiveOnly ? undefined : reasoning.show === false ? 'omitted' : 'summarized',
      }),
      effort: effortFor(effort ?? effortOf(budgetTokens), traits.adaptiveOnly),
    });
  }
  const budget = Math.min(
    Math.max(budgetTokens ?? BUDGETS[effort ?? 'medium'], LEAST_BUDGET),
    Math.floor(maxTokens * 0.8),
  );
  if (budget < LEAST_BUDGET || !historyAllowsThinking(request, target)) {
    target.drop('reasoning');
    return {};
  }
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Some think whatever is said, and refuse to be told not to. */
function writeOff(target: RequestTarget): WrittenThinking {
  const { model } = target;
  if (!traitsOf(model).adaptive) return {};
  if (!thinksUnseen(model) || canBeToldNot(model)) return { thinking: { type: 'disabled' } };
  target.drop('reasoning');
  return { effort: 'low' };
}

function writeOwn(reasoning: Reasoning): WrittenThinking {
  const type = reasoning.mode === 'on' ? 'enabled' : reasoning.mode === 'off' ? 'disabled' : reasoning.mode;
  return compact({
    thinking:
      type &&
      compact({
        type,
        budget_tokens: reasoning.budgetTokens,
        display: reasoning.show === undefined ? undefined : reasoning.show ? 'summarized' : 'omitted',
      }),
    effort: reasoning.effort ?? reasoning.eagerness,
  });
}

const effortFor = (effort: Reasoning['effort'], knowsXhigh: boolean): string | undefined =>
  effort === 'xhigh' && !knowsXhigh ? 'max' : effort;

const effortOf = (budget: number | undefined): Reasoning['effort'] =>
  budget === undefined || budget < 0
    ? undefined
    : budget < 4000
      ? 'low'
      : budget < 16_000
        ? 'medium'
        : 'high';

const forcesTool = ({ toolChoice }: ChatRequest): boolean =>
  toolChoice?.mode === 'required' ||
  toolChoice?.mode === 'named' ||
  (toolChoice?.mode === 'allowed' && toolChoice.required);

/**
 * With a budget, an answer that goes on after tool results must begin with its own thinking, which others lost. Pictures that
 * a tool has found stand behind its results as a user's, on wires that have them nowhere else, and begin no turn.
 */
function historyAllowsThinking({ messages }: ChatRequest, target: RequestTarget): boolean {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const last = messages[at];
  if (!last?.parts.some((part) => part.type === 'tool-call')) return true;
  if (messages[at + 1]?.role !== 'tool') return true;
  return last.parts.some((part) => part.type === 'thinking' && proofOf(part, target) !== undefined);
}

/** The least cap that has room for a budget beside an answer. */
export const LEAST_THINKING_CAP = 1280;

/** The whole of what Claude takes while it thinks: a cap with room for its budget, and no sampling but its own. */
export function writeWish(body: JsonObject, wish: ThinkingWish, { model, share }: WishPlace): void {
  if (!('thinks' in wish) || !wish.thinks || body.thinking !== undefined) return;
  delete body.top_p;
  delete body.top_k;
  if (traitsOf(model).adaptiveOnly) {
    delete body.temperature;
    body.thinking = { type: 'adaptive', display: 'summarized' };
    return;
  }
  const cap = Math.max(numberOf(body.max_tokens) ?? 0, LEAST_THINKING_CAP);
  const budget = Math.max(Math.floor(cap * share), LEAST_BUDGET);
  body.max_tokens = cap;
  body.temperature = 1;
  body.thinking = { type: 'enabled', budget_tokens: Math.min(budget, cap - 1) };
}

/** Anthropic itself counts thoughts within `max_tokens`; others who speak its wire have the budget alone for them. */
export function withThoughtLimit(body: JsonObject, tokens: number): JsonObject {
  const thinking = objectOf(body.thinking);
  const budget_tokens = Math.min(numberOf(thinking?.budget_tokens) ?? tokens, tokens);
  return { ...body, thinking: { ...thinking, type: 'enabled', budget_tokens } };
}
