/** How much a model may think, in the many words that vendors of the chat wire have for it. */

import { takenEffort } from '../../core/efforts.ts';
import type { JsonObject } from '../../core/json.ts';
import { bareName, isOpenAiThinker } from '../../core/model-families.ts';
import type { ThinkingWish } from '../../core/model-variant.ts';
import { EFFORTS, type Effort } from '../../core/openai-thinkers.ts';
import { thinkingOf } from '../../core/thinkers.ts';
import type { RequestTarget } from '../codec.ts';
import type { ThoughtField, WishPlace } from '../dialect.ts';
import { compact, countOf, flagOf, objectOf, oneOf } from '../fields.ts';
import type { Reasoning } from '../neutral.ts';

/** The fields that say it; they go back word for word to an upstream of this dialect. */
export const REASONING_FIELDS = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'include_reasoning',
] as const;

const MODES = { enabled: 'on', disabled: 'off', adaptive: 'adaptive', auto: 'adaptive' } as const;

export function readReasoning(body: JsonObject): Reasoning | undefined {
  const router = objectOf(body.reasoning);
  const thinking = objectOf(body.thinking);
  const type = oneOf(thinking?.type, ['enabled', 'disabled', 'adaptive', 'auto']);
  const enabled = flagOf(body.enable_thinking) ?? flagOf(router?.enabled);
  const effort = oneOf(body.reasoning_effort, EFFORTS) ?? oneOf(router?.effort, EFFORTS);
  const excluded = flagOf(router?.exclude);
  const reasoning: Reasoning = compact({
    mode: type ? MODES[type] : enabled === undefined ? undefined : enabled ? 'on' : 'off',
    effort,
    budgetTokens:
      countOf(thinking?.budget_tokens) ?? countOf(body.thinking_budget) ?? countOf(router?.max_tokens),
    show: flagOf(body.include_reasoning) ?? (excluded === undefined ? undefined : !excluded),
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/** The same for an upstream of this dialect whose caller speaks another. */
export function writeReasoning(reasoning: Reasoning, target: RequestTarget): JsonObject {
  const { mode, effort, budgetTokens } = reasoning;
  const word = saidEffort(reasoning);
  const off = word === 'none';
  const on = !off && (mode !== undefined || effort !== undefined || budgetTokens !== undefined);
  const switches = target.extensions?.has('enable_thinking') || target.extensions?.has('thinking');
  // Those have nothing that could be switched, and most refuse to be told.
  const isFixed = switches && thinkingOf(target.model) === 'always';
  if (isFixed && off) {
    target.drop('reasoning');
    return {};
  }
  if (target.extensions?.has('enable_thinking')) {
    return compact({
      enable_thinking: isFixed ? undefined : off ? false : on ? true : undefined,
      thinking_budget: on ? budgetTokens : undefined,
    });
  }
  const said: JsonObject = {};
  if (target.extensions?.has('thinking') && (off || on)) {
    said.thinking = { type: off ? 'disabled' : 'enabled' };
    if (off) return said;
  }
  // OpenRouter, which gives details of what was thought, has each effort mean what its maker has in its place.
  const takesAll = target.extensions?.has('reasoning_details');
  const taken = takesAll ? word : word && takenEffort(word, target.model);
  if (taken !== undefined) said.reasoning_effort = onThisWire(taken, target.model);
  else if (word !== undefined) target.drop('reasoning_effort');
  return said;
}

/** OpenAI knows its highest effort on Responses alone. */
const onThisWire = (effort: Effort, model: string): Effort =>
  effort === 'max' && isOpenAiThinker(bareName(model)) ? 'xhigh' : effort;

/** The effort in OpenAI's words, as far as one is said; else it is left to the model. */
export function saidEffort({ mode, effort, budgetTokens }: Reasoning): Effort | undefined {
  if (mode === 'off' || effort === 'none') return 'none';
  return effort ?? effortOf(budgetTokens);
}

/** The effort that a budget stands for; a negative one leaves it to the model. */
export const effortOf = (budget: number | undefined): Effort | undefined => {
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return 'none';
  return budget < 4_000 ? 'low' : budget < 16_000 ? 'medium' : 'high';
};

export function writeWish(body: JsonObject, wish: ThinkingWish, { model, extensions }: WishPlace): void {
  const budget = 'budget' in wish && wish.budget !== undefined ? { budgetTokens: wish.budget } : {};
  const reasoning: Reasoning =
    'effort' in wish
      ? { effort: wish.effort }
      : { mode: wish.thinks ? 'on' : 'off', effort: wishedEffort(wish), ...budget };
  const target = {
    model,
    extensions,
    stream: false,
    askUsage: false,
    defaultMaxTokens: 0,
    drop: () => undefined,
  };
  Object.assign(body, writeReasoning(reasoning, target));
}

/** The word for it on OpenAI's wires. */
export const wishedEffort = (wish: ThinkingWish): Effort =>
  'effort' in wish ? wish.effort : wish.thinks ? 'high' : 'none';

export function withThoughtLimit(body: JsonObject, tokens: number, limit: ThoughtField): JsonObject {
  if (limit === 'apart') {
    return { ...body, thinking_budget: Math.min(countOf(body.thinking_budget) ?? tokens, tokens) };
  }
  const { max_tokens, max_completion_tokens, ...rest } = body;
  const answer = Math.max(countOf(max_tokens) ?? 0, countOf(max_completion_tokens) ?? 0);
  return { ...rest, [limit]: answer + tokens };
}
