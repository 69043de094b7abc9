/**
 * Answers at which several work within one call: agents that tell each other what they find, or a model in several passes.
 * All of it is billed, each reads what others have written, and no limit of an answer is known to count it (docs.apiyi.com,
 * Grok Multi-Agent: a prompt of forty tokens came to 39,263 and its answer to 9,997). What they read is that of a tool.
 */
import type { JsonObject } from '../core/json.ts';
import { plainName } from '../core/model-families.ts';
import type { PaidTools } from '../core/paid-tools.ts';
import type { ReadingTool } from '../core/tool-reading.ts';
import { isAbsent } from './bounds.ts';
import { objectOf } from './fields.ts';
import { limitIn } from './tool-words.ts';

const NAMED = /multi-?agent/;
/** xAI's, by how much they are to think (openrouter.ai, Grok 4.20 Multi-Agent). */
const [FEW, MANY] = [4, 16];
const LITTLE: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium']);

/** OpenAI's agents beside the first where a request does not say (its guide to multi-agent). */
const SUBAGENTS = 3;

/** GPT from 5.6 on as OpenRouter names it in the mode `pro`: "the same underlying model" with that word. */
const PRO = /(?<![a-z\d])gpt-(?:5-[6-9]|[6-9]|\d\d)(?:-[a-z]+)*-pro(?![a-z])/;

/**
 * Who works at an answer of a model of one of these names, as the tool that reads for them; null where one works alone, in
 * one pass. How many passes OpenAI takes in a mode that is not `standard` it does not say: the operator's usual number.
 */
export function severalAt(body: JsonObject, names: readonly string[]): ReadingTool | null {
  const plain = names.map(plainName);
  if (plain.some((name) => NAMED.test(name))) return agents(isAskedMuch(body) ? MANY : FEW);
  const own = objectOf(body.multi_agent);
  if (own && own.enabled !== false) return agents((limitIn(own.max_concurrent_subagents) ?? SUBAGENTS) + 1);
  const mode = objectOf(body.reasoning)?.mode;
  const takesPasses = !isAbsent(mode) && mode !== 'standard';
  return takesPasses || plain.some((name) => PRO.test(name)) ? agents(null) : null;
}

/** They work unasked: no limit of tools counts them, and nothing tells when one begins. */
const agents = (most: number | null): ReadingTool => ({
  name: 'agents',
  most,
  tokens: null,
  apart: true,
  toldLate: true,
});

function isAskedMuch({ reasoning_effort, reasoning, output_config }: JsonObject): boolean {
  const efforts = [reasoning_effort, objectOf(reasoning)?.effort, objectOf(output_config)?.effort];
  return efforts.some((effort) => !isAbsent(effort) && !LITTLE.has(effort));
}

/** What a request may set off, with those who work at its answer. */
export function withSeveral(paid: PaidTools, body: JsonObject, names: readonly string[]): PaidTools {
  const several = severalAt(body, names);
  return several ? { ...paid, reads: [...(paid.reads ?? []), several] } : paid;
}
