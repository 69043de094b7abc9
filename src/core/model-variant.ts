/**
 * Names that say more than a model: `claude-sonnet-4-5-thinking`, `gemini-2.5-flash-thinking-2048`, `o3-high` ask a
 * model to think, and how much. Prices and channels of such a name are the model's own where no table names it.
 */
import { OPENAI_REASONERS } from './model-families.ts';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
type Effort = (typeof EFFORTS)[number];

export type ThinkingWish = { thinks: true; budget?: number } | { thinks: false } | { effort: Effort };

export type ModelFamily = 'claude' | 'gemini' | 'openai';

export interface ModelVariant {
  /** The model's own name. */
  base: string;
  family: ModelFamily;
  wish: ThinkingWish;
}

const CLAUDE = /^(.*claude.*)-thinking$/;
const GEMINI = /^((?:.*\/)?gemini-2\.5-.+)-(nothinking|thinking(?:-(\d{1,6}))?)$/;
const OPENAI = new RegExp(`^((?:.*/)?${OPENAI_REASONERS}(?:[.-].*)?)-(\\w+)$`);
/** All of them end so: most names are done with this one look. */
const ENDING = /-(?:nothinking|thinking(?:-\d+)?|none|minimal|low|medium|high|xhigh)$/;

/** What a name asks for; null for the name of a model. */
export function variantOf(name: string): ModelVariant | null {
  if (!ENDING.test(name)) return null;
  const [, claude] = CLAUDE.exec(name) ?? [];
  if (claude) return { base: claude, family: 'claude', wish: { thinks: true } };
  const [, gemini, wish, budget] = GEMINI.exec(name) ?? [];
  if (gemini) {
    if (wish === 'nothinking') return { base: gemini, family: 'gemini', wish: { thinks: false } };
    const thinks = { thinks: true as const, ...(budget ? { budget: Number(budget) } : {}) };
    return { base: gemini, family: 'gemini', wish: thinks };
  }
  const [, openai, word] = OPENAI.exec(name) ?? [];
  const effort = EFFORTS.find((known) => known === word);
  return openai && effort ? { base: openai, family: 'openai', wish: { effort } } : null;
}

/** A name, and of one that asks a model to think also that of the model: the last of them. */
export function namesBehind(model: string): string[] {
  const names: string[] = [];
  for (let name: string | undefined = model; name !== undefined; name = variantOf(name)?.base)
    names.push(name);
  return names;
}

/** The model's own name. Of names that ask it to think there are as many as numbers. */
export function modelBehind(name: string): string {
  const base = variantOf(name)?.base;
  return base === undefined ? name : modelBehind(base);
}
