/** How much the model may think: levels for the newer models, token budgets for those before. */

import type { JsonObject } from '../../core/json.ts';
import type { ThinkingWish } from '../../core/model-variant.ts';
import type { RequestTarget } from '../codec.ts';
import type { WishPlace } from '../dialect.ts';
import { compact, flagOf, numberOf, objectOf, oneOf, textOf } from '../fields.ts';
import type { Reasoning } from '../neutral.ts';
import { effortOf } from '../openai-chat/thinking.ts';
import { type ModelTraits, traitsOf } from './models.ts';
import { camelFields } from './names.ts';

const LEVELS = ['minimal', 'low', 'medium', 'high'] as const;

export function readThinking(given: unknown): Reasoning | undefined {
  if (!objectOf(given)) return undefined;
  const config = camelFields(objectOf(given) ?? {});
  const budget = numberOf(config.thinkingBudget);
  return compact<Reasoning>({
    mode: budget === undefined ? undefined : budget === 0 ? 'off' : budget < 0 ? 'adaptive' : 'on',
    budgetTokens: budget !== undefined && budget > 0 ? budget : undefined,
    effort: oneOf(textOf(config.thinkingLevel)?.toLowerCase(), LEVELS),
    show: flagOf(config.includeThoughts),
  });
}

const BUDGETS = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
} as const;
/** The least that a model thinks which cannot be kept from it. */
const PRO_LEAST = 128;

export function writeThinking(
  reasoning: Reasoning | undefined,
  target: RequestTarget,
): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { mode, effort, budgetTokens, eagerness } = reasoning;
  if (eagerness !== undefined) target.drop('reasoning');
  if (mode === undefined && effort === undefined && budgetTokens === undefined) {
    return reasoning.show ? { includeThoughts: true } : undefined;
  }
  const traits = traitsOf(target.model);
  if (!traits.levels && !traits.budgets) {
    target.drop('reasoning');
    return undefined;
  }
  const off = mode === 'off' || effort === 'none';
  return compact({
    ...(traits.levels
      ? levelOf(reasoning, off, target.model)
      : { thinkingBudget: budgetOf(reasoning, off, traits) }),
    includeThoughts: off ? undefined : (reasoning.show ?? true),
  });
}

function levelOf({ effort, budgetTokens }: Reasoning, off: boolean, model: string): JsonObject {
  const { middle, minimal, levelsAlone } = traitsOf(model);
  const asked = effort ?? (levelsAlone ? effortOf(budgetTokens) : undefined);
  if (off || asked === 'none' || asked === 'minimal') return { thinkingLevel: minimal ? 'MINIMAL' : 'LOW' };
  if (asked === undefined) return compact({ thinkingBudget: levelsAlone ? undefined : budgetTokens });
  if (asked === 'low') return { thinkingLevel: 'LOW' };
  return { thinkingLevel: asked === 'medium' && middle ? 'MEDIUM' : 'HIGH' };
}

function budgetOf({ mode, effort, budgetTokens }: Reasoning, off: boolean, { pro }: ModelTraits): number {
  if (off) return pro ? PRO_LEAST : 0;
  if (budgetTokens !== undefined) return budgetTokens;
  return effort === undefined || mode === 'adaptive' ? -1 : BUDGETS[effort];
}

/** The budgets that Gemini 2.5 takes; its larger model cannot be kept from thinking. */
const WISH_BUDGETS = { pro: [128, 32_768], other: [0, 24_576] } as const;

export function writeWish(body: JsonObject, wish: ThinkingWish, { model, share }: WishPlace): void {
  if (!('thinks' in wish)) return;
  const field = objectOf(body.generation_config) ? 'generation_config' : 'generationConfig';
  const config = objectOf(body[field]) ?? {};
  if (config.thinkingConfig !== undefined || config.thinking_config !== undefined) return;
  const [least, most] = WISH_BUDGETS[traitsOf(model).pro ? 'pro' : 'other'];
  const cap = numberOf(config.maxOutputTokens) ?? numberOf(config.max_output_tokens);
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
