/**
 * Whether a request may set off thoughts that nobody here sees grow, by what it asks and by its model's names. What is
 * held and what is charged go by this one answer.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type ModelVariant, variantOf } from '../../core/model-variant.ts';
import { canBeToldNot, hidesAskedThoughts, thinksUnseen } from '../../core/thinkers.ts';
import { asksEffort, isAbsent } from '../../dialects/bounds.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';

/**
 * A model that may answer, as far as it thinks unseen. An upstream's name of it may be its operator's own (a deployment, a
 * profile), so that what it is called and priced by says so as well.
 */
export interface Thinker {
  /** The upstream's name of it. */
  model: string;
  /** By either of its names, by what ours asks for, or by what its channel writes over bodies. */
  thinksUnseen: boolean;
  /** It thinks nothing where Anthropic's wire says so: that goes up to it as it is said, and it is one that obeys. */
  canBeToldNot: boolean;
}

/** What one upstream is asked for. */
interface AskedFor {
  channel: Pick<RoutedChannel, 'type' | 'paramOverride'>;
  /** The caller's name of the model, and the upstream's. */
  requested: string;
  model: string;
  /** What a name of ours asks of it besides. */
  variant: Wishing | null;
}

export function thinkerOf({ channel, requested, model, variant }: AskedFor): Thinker {
  const { type, paramOverride } = channel;
  const names = [requested, model];
  const isAsked = asksByName(variant) || (paramOverride !== null && asksUnseen(paramOverride, names));
  const unseen = names.some(thinksUnseen) || isAsked;
  const isHome = () => findProvider(type)?.homeOf?.includes('claude') === true;
  return {
    model,
    thinksUnseen: unseen,
    canBeToldNot: unseen && canBeToldNot(model) && paramOverride?.thinking === undefined && isHome(),
  };
}

/** `thinkers`: the upstreams of it. */
export function mayThinkUnseen(
  { facts, body, dialect }: Pick<RelayRequest, 'facts' | 'body' | 'dialect'>,
  thinkers: readonly Thinker[],
): boolean {
  const names = [facts.model, ...thinkers.map(({ model }) => model)];
  const isToldNot = dialect.id === 'anthropic-messages' && isSwitchedOff(body);
  return (
    thinkers.some((thinker) => thinker.thinksUnseen && !(isToldNot && thinker.canBeToldNot)) ||
    asksByName(variantOf(facts.model)) ||
    asksUnseen(body, names)
  );
}

/** By a body that a model of one of these names gets. */
const asksUnseen = (body: JsonObject, names: readonly string[]): boolean =>
  asksToThink(body) || hidesThoughts(body) || (names.some(hidesAskedThoughts) && asksAloud(body, names));

const isSwitchedOff = ({ thinking }: JsonObject): boolean =>
  isObject(thinking) && thinking.type === 'disabled';

/**
 * By an effort, in OpenAI's words or in Anthropic's, which are written as OpenAI's to others: whatever the model's name is,
 * it may be one of theirs. Which of two words an upstream goes by is its own matter.
 */
function asksToThink({ reasoning_effort: effort, reasoning, output_config: config }: JsonObject): boolean {
  const asked = [
    effort,
    isObject(reasoning) ? (reasoning.effort ?? 'some') : undefined,
    isObject(config) ? config.effort : undefined,
  ];
  return asked.some(asksEffort);
}

/**
 * In the words of OpenRouter and of Groq: what its model would show is left out of the answer, and charged. In those of
 * Anthropic and of DashScope: a summary of it is shown, or nothing.
 */
function hidesThoughts(body: JsonObject): boolean {
  const { include_reasoning, reasoning_format, reasoning, thinking, thinking_display: display } = body;
  const isLeftOut = !isAbsent(include_reasoning) && include_reasoning !== true;
  const isExcluded = isObject(reasoning) && !isAbsent(reasoning.exclude) && reasoning.exclude !== false;
  const isShortened = !isAbsent(display) || (isObject(thinking) && !isAbsent(thinking.display));
  return isLeftOut || isExcluded || isShortened || reasoning_format === 'hidden';
}

type Wishing = Pick<ModelVariant, 'wish'>;

/** By what stands behind the name of a model, which is written in the upstream's words. */
export const asksByName = (variant: Wishing | null): boolean =>
  variant !== null && ('effort' in variant.wish ? variant.wish.effort !== 'none' : variant.wish.thinks);

/** A name that asks for it, alone or with a budget, as ours do or as OpenRouter's. */
const THINKING_NAME = /[-:]thinking(?:-\d+)?$/;

/**
 * Claude shows a summary of what it thinks, or nothing from 4.7 on, and all of it is charged (its guide to extended
 * thinking). It is asked in its own words, or in those of the chat wire and of Gemini, which are converted into its own.
 */
const asksAloud = (body: JsonObject, names: readonly string[]): boolean =>
  asksInOtherWords(body) || names.some((name) => THINKING_NAME.test(name));

/** Those that are no efforts. */
function asksInOtherWords(body: JsonObject): boolean {
  const { thinking, enable_thinking: enabled, thinking_budget: budget } = body;
  const type = isObject(thinking) ? thinking.type : undefined;
  return (
    (isObject(thinking) && !isSwitchedOff(body) && (!isAbsent(type) || !isAbsent(thinking.budget_tokens))) ||
    (!isAbsent(enabled) && enabled !== false) ||
    !isAbsent(budget) ||
    asksGeminiToThink(body)
  );
}

/** In anybody's words. */
export const asksAnyToThink = (body: JsonObject): boolean => asksToThink(body) || asksInOtherWords(body);

function asksGeminiToThink(body: JsonObject): boolean {
  const config = body.generationConfig ?? body.generation_config;
  const thinking = isObject(config) ? (config.thinkingConfig ?? config.thinking_config) : undefined;
  if (!isObject(thinking)) return false;
  const budget = thinking.thinkingBudget ?? thinking.thinking_budget;
  const level = thinking.thinkingLevel ?? thinking.thinking_level;
  return (!isAbsent(budget) && budget !== 0) || !isAbsent(level);
}
