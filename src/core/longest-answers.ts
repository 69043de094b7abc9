/** How long answers can be at the most, of models that refuse a larger limit and whose callers come with one of Claude's. */
import { bareName } from './model-families.ts';

/**
 * "max_tokens is too large: 32000. This model supports at most 16384 completion tokens"; so OpenAI's pages of models say.
 * The first that fits holds.
 */
const FAMILIES: readonly [name: RegExp, tokens: number][] = [
  [/^gpt-4o-2024-05-13$/, 4_096],
  [/^(?:chat)?gpt-4o(?:-|$)/, 16_384],
  [/^gpt-4\.1(?:-|$)/, 32_768],
];

/** Tokens; undefined where nobody knows, or where a larger limit does no harm. */
export function longestAnswerOf(model: string): number | undefined {
  const name = bareName(model);
  return FAMILIES.find(([family]) => family.test(name))?.[1];
}
