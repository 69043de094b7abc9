/**
 * OpenAI's models that call their caller's functions as they think by Responses alone. On Chat Completions they refuse:
 * "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions".
 */
import type { JsonObject } from '../core/json.ts';
import { type Effort, isThinkerFrom, thinksAt } from '../core/openai-thinkers.ts';

/** Those before it call functions on Chat Completions, too. */
const FIRST = [5, 2] as const;

/** Whether OpenAI serves this call by Responses alone; `body` in the words of any wire. */
export const needsResponses = (model: string, effort: Effort | undefined, body: JsonObject): boolean =>
  bringsTools(body) && isThinkerFrom(model, FIRST) && thinksAt(model, effort);

const bringsTools = ({ tools, functions }: JsonObject): boolean =>
  [tools, functions].some((list) => Array.isArray(list) && list.length > 0);
