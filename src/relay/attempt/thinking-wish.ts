/** What a model's name asks of its thinking (`…-thinking`, `…-high`), said in the words of the upstream's dialect. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { ThinkingWish } from '../../core/model-variant.ts';
import { traitsOf as claudeTraits } from '../../dialects/anthropic-messages/models.ts';
import type { ChatExtension } from '../../dialects/codec.ts';
import type { DialectId } from '../../dialects/dialect.ts';
import { traitsOf as geminiTraits } from '../../dialects/gemini/models.ts';
import type { Reasoning } from '../../dialects/neutral.ts';
import { writeReasoning } from '../../dialects/openai-chat/thinking.ts';

export interface WishPlace {
  dialect: DialectId;
  /** The upstream's name of the model. */
  model: string;
  /** Of a cap on output, what thinking may take. */
  share: number;
  extensions?: ReadonlySet<ChatExtension>;
}

/** Changes a body that goes upstream in place. What the caller himself says of thinking stays. */
export function writeWish(body: JsonObject, wish: ThinkingWish, place: WishPlace): void {
  switch (place.dialect) {
    case 'anthropic-messages':
      if ('thinks' in wish && wish.thinks) thinkAsClaude(body, place);
      break;
    case 'gemini':
      if ('thinks' in wish) thinkAsGemini(body, wish, place);
      break;
    case 'openai-chat':
      thinkAsChat(body, wish, place);
      break;
    case 'openai-responses':
      body.reasoning = { ...objectIn(body, 'reasoning'), effort: effortOf(wish) };
  }
}

/** The least budget that Claude takes, and the least cap that has room for it beside an answer. */
const CLAUDE_LEAST_BUDGET = 1024;
export const CLAUDE_LEAST_CAP = 1280;

/** The whole of what Claude takes while it thinks: a cap with room for its budget, and no sampling but its own. */
function thinkAsClaude(body: JsonObject, { model, share }: WishPlace): void {
  if (body.thinking !== undefined) return;
  delete body.top_p;
  delete body.top_k;
  if (claudeTraits(model).adaptiveOnly) {
    delete body.temperature;
    body.thinking = { type: 'adaptive', display: 'summarized' };
    return;
  }
  const cap = Math.max(numberIn(body, 'max_tokens') ?? 0, CLAUDE_LEAST_CAP);
  const budget = Math.max(Math.floor(cap * share), CLAUDE_LEAST_BUDGET);
  body.max_tokens = cap;
  body.temperature = 1;
  body.thinking = { type: 'enabled', budget_tokens: Math.min(budget, cap - 1) };
}

/** The budgets that Gemini 2.5 takes; its larger model cannot be kept from thinking. */
const GEMINI_BUDGETS = { pro: [128, 32_768], other: [0, 24_576] } as const;

function thinkAsGemini(
  body: JsonObject,
  wish: Extract<ThinkingWish, { thinks: boolean }>,
  { model, share }: WishPlace,
): void {
  const field = isObject(body.generation_config) ? 'generation_config' : 'generationConfig';
  const config = objectIn(body, field);
  if (config.thinkingConfig !== undefined || config.thinking_config !== undefined) return;
  const [least, most] = GEMINI_BUDGETS[geminiTraits(model).pro ? 'pro' : 'other'];
  const cap = numberIn(config, 'maxOutputTokens') ?? numberIn(config, 'max_output_tokens');
  const asked = !wish.thinks ? 0 : (wish.budget ?? (cap === undefined ? undefined : Math.floor(cap * share)));
  const budget = asked === undefined ? undefined : Math.min(Math.max(asked, least), most);
  body[field] = {
    ...config,
    thinkingConfig: {
      ...(budget === undefined ? {} : { thinkingBudget: budget }),
      ...(wish.thinks ? { includeThoughts: true } : {}),
    },
  };
}

function thinkAsChat(body: JsonObject, wish: ThinkingWish, { model, extensions }: WishPlace): void {
  const reasoning: Reasoning =
    'effort' in wish
      ? { effort: wish.effort }
      : { mode: wish.thinks ? 'on' : 'off', effort: effortOf(wish), ...budgetOf(wish) };
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

const budgetOf = (wish: ThinkingWish) =>
  'budget' in wish && wish.budget !== undefined ? { budgetTokens: wish.budget } : {};

const effortOf = (wish: ThinkingWish) => ('effort' in wish ? wish.effort : wish.thinks ? 'high' : 'none');

const objectIn = (body: JsonObject, field: string): JsonObject =>
  isObject(body[field]) ? (body[field] as JsonObject) : {};

const numberIn = (body: JsonObject, field: string): number | undefined => {
  const value = body[field];
  return typeof value === 'number' ? value : undefined;
};
