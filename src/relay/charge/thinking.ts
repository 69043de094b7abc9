/**
 * Whether a request may set off thoughts that nobody here sees grow, by what it asks and by its model's names. What is
 * held and what is charged go by this one answer.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { namesClaude } from '../../core/model-families.ts';
import { type ModelVariant, variantOf } from '../../core/model-variant.ts';
import { thinksUnseen } from '../../core/thinkers.ts';
import { isAbsent } from '../../dialects/bounds.ts';
import type { RelayRequest } from '../request.ts';

/** `names`: the upstreams' of it. */
export function mayThinkUnseen(
  { facts, body }: Pick<RelayRequest, 'facts' | 'body'>,
  names: readonly string[],
): boolean {
  return (
    names.some(thinksUnseen) ||
    asksToThink(body) ||
    asksByName(variantOf(facts.model)) ||
    hidesThoughts(body) ||
    (names.some(namesClaude) && asksClaudeToThink(body, [facts.model, ...names]))
  );
}

/**
 * In OpenAI's words: whatever the model's name is, it may be one of theirs. Which of two words an upstream goes by is its
 * own matter.
 */
function asksToThink({ reasoning_effort: effort, reasoning }: JsonObject): boolean {
  const asked = [effort, isObject(reasoning) ? (reasoning.effort ?? 'some') : undefined];
  return asked.some((word) => !isAbsent(word) && word !== 'none');
}

/** In the words of OpenRouter and of Groq: what its model would show is left out of the answer, and charged. */
function hidesThoughts({ include_reasoning, reasoning_format, reasoning }: JsonObject): boolean {
  const isLeftOut = !isAbsent(include_reasoning) && include_reasoning !== true;
  const isExcluded = isObject(reasoning) && !isAbsent(reasoning.exclude) && reasoning.exclude !== false;
  return isLeftOut || isExcluded || reasoning_format === 'hidden';
}

/** By what stands behind the name of a model, which is written in the upstream's words. */
export const asksByName = (variant: ModelVariant | null): boolean =>
  variant !== null && ('effort' in variant.wish ? variant.wish.effort !== 'none' : variant.wish.thinks);

/** A name that asks for it, alone or with a budget. */
const THINKING_NAME = /-thinking(?:-\d+)?$/;

/**
 * It shows a summary of what it thinks, and all of it is charged (its guide to extended thinking). It is asked in its own
 * words, or in those of the chat wire and of Gemini, which are converted into its own.
 */
const asksClaudeToThink = (body: JsonObject, names: readonly string[]): boolean =>
  asksInOtherWords(body) || names.some((name) => THINKING_NAME.test(name));

/** Those that are not OpenAI's. */
function asksInOtherWords(body: JsonObject): boolean {
  const { thinking, enable_thinking: enabled, thinking_budget: budget } = body;
  const type = isObject(thinking) ? thinking.type : undefined;
  return (
    (isObject(thinking) && type !== 'disabled' && (!isAbsent(type) || !isAbsent(thinking.budget_tokens))) ||
    (!isAbsent(enabled) && enabled !== false) ||
    !isAbsent(budget) ||
    asksGeminiToThink(body)
  );
}

/** In anybody's words; of Claude's the effort is one, which is written to others as a wish to think. */
export const asksAnyToThink = (body: JsonObject): boolean =>
  asksToThink(body) ||
  asksInOtherWords(body) ||
  (isObject(body.output_config) && !isAbsent(body.output_config.effort));

function asksGeminiToThink(body: JsonObject): boolean {
  const config = body.generationConfig ?? body.generation_config;
  const thinking = isObject(config) ? (config.thinkingConfig ?? config.thinking_config) : undefined;
  if (!isObject(thinking)) return false;
  const budget = thinking.thinkingBudget ?? thinking.thinking_budget;
  const level = thinking.thinkingLevel ?? thinking.thinking_level;
  return (!isAbsent(budget) && budget !== 0) || !isAbsent(level);
}
