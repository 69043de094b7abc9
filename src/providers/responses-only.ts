/**
 * OpenAI's models that are served by Responses alone: some whatever they are asked, and others where they call their
 * caller's functions as they think, or search. On Chat Completions those refuse: "Function tools with reasoning_effort are
 * not supported for gpt-5.4 in /v1/chat/completions", "Web search options not supported with this model".
 */
import type { JsonObject } from '../core/json.ts';
import { bareName, isCodexOrPro } from '../core/model-families.ts';
import { type Effort, isThinkerFrom, thinksAt } from '../core/openai-thinkers.ts';
import { asksSearch, SEARCHES_ALWAYS } from '../dialects/asked-tools.ts';

const OTHERS = /^(?:codex|o\d+(?:-mini)?-deep-research|computer-use)(?![a-z])/;

/** Whatever it is asked, and whoever serves it, under whichever name of a maker before its own. */
export function isOfResponsesAlone(model: string): boolean {
  const name = bareName(model);
  return isCodexOrPro(name) || OTHERS.test(name);
}

/** Those before it call functions on Chat Completions, too. */
const FIRST = [5, 2] as const;

/** Whether OpenAI serves this call by Responses alone; `body` in the words of any wire. */
export const needsResponses = (model: string, effort: Effort | undefined, body: JsonObject): boolean =>
  (bringsTools(body) && isThinkerFrom(model, FIRST) && thinksAt(model, effort)) ||
  // Those that search for every answer do it on Chat Completions, and there alone.
  (asksSearch(body) && !SEARCHES_ALWAYS.test(model));

const bringsTools = ({ tools, functions }: JsonObject): boolean =>
  [tools, functions].some((list) => Array.isArray(list) && list.length > 0);
