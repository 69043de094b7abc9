/**
 * The efforts that models take, by their families: each refuses those that it does not know, and some every word of it.
 * Versions to come do as those before them.
 */
import { bareName, isOpenAiThinker, plainName, TUNABLE_MISTRALS } from './model-families.ts';
import { EFFORTS, type Effort, effortFor } from './openai-thinkers.ts';

/**
 * Of plain names, the narrower families first. xAI tells it in its guide to reasoning (its Grok 4.20 and those before 4.3
 * think by themselves, "does not support parameter reasoningEffort"), Mistral in its refusals ("Must be one of none, high";
 * of Magistral Medium, "not enabled"), Groq of Qwen's, which know no more than whether to think, and OpenAI of the open ones.
 */
const OF_FAMILIES: readonly (readonly [RegExp, readonly Effort[]])[] = [
  [/^grok-3-mini/, ['low', 'high']],
  [/^grok-4-3(?!\d)/, ['none', 'low', 'medium', 'high']],
  [/^grok-4-[45](?!\d)/, ['low', 'medium', 'high']],
  [/^grok-(?:4-[6-9](?!\d)|[5-9]|\d\d)/, ['low', 'medium', 'high', 'xhigh']],
  [/^grok-/, []],
  [new RegExp(`^${TUNABLE_MISTRALS}`), ['none', 'high']],
  [/^magistral/, []],
  [/^(?:qwen|qwq|qvq)/, ['none']],
  [/gpt-oss/, ['low', 'medium', 'high']],
];

/**
 * The nearest effort that a model takes, rather more than less; undefined where it has no word for it: whoever wants some
 * thoughts is not told to have none.
 */
export function takenEffort(effort: Effort, model: string): Effort | undefined {
  if (isOpenAiThinker(bareName(model))) return effortFor(effort, model);
  const name = plainName(model);
  const known = OF_FAMILIES.find(([family]) => family.test(name))?.[1];
  if (!known || known.includes(effort)) return effort;
  const rank = EFFORTS.indexOf(effort);
  const thoughts = known.filter((each) => each !== 'none');
  return thoughts.find((each) => EFFORTS.indexOf(each) >= rank) ?? thoughts.at(-1);
}
