/**
 * OpenAI's models that call their caller's functions as they think by Responses alone. On Chat Completions they refuse:
 * "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions".
 */
import type { JsonObject } from '../core/json.ts';
import { asksEffort, isAbsent } from '../dialects/bounds.ts';
import { objectOf } from '../dialects/fields.ts';

/** The versions that are reasoners: those for chats alone have `chat` in their names. */
const VERSION = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?(?![.\d])(?!.*chat)/;
/** From it on they refuse where an effort is asked for; */
const WHERE_ASKED = [5, 2] as const;
/** and from it on they think unless they are told not to. */
const UNLESS_TOLD = [5, 5] as const;

/** Whether OpenAI serves this call of such a model by Responses alone; `body` in the words of any wire. */
export function needsResponses(model: string, body: JsonObject): boolean {
  const [, major, minor = '0'] = VERSION.exec(model) ?? [];
  if (major === undefined || !bringsTools(body)) return false;
  const isFrom = ([first, second]: readonly [number, number]) =>
    Number(major) > first || (Number(major) === first && Number(minor) >= second);
  if (isFrom(UNLESS_TOLD)) return body.reasoning_effort !== 'none';
  return isFrom(WHERE_ASKED) && asksThoughts(body);
}

const bringsTools = ({ tools, functions }: JsonObject): boolean =>
  [tools, functions].some((list) => Array.isArray(list) && list.length > 0);

function asksThoughts({ reasoning_effort, thinking, output_config, ...body }: JsonObject): boolean {
  const config = objectOf(body.generationConfig ?? body.generation_config);
  const wishes = [thinking, output_config, config?.thinkingConfig, config?.thinking_config];
  return asksEffort(reasoning_effort) || !wishes.every(isAbsent);
}
