/** Words by which wires name tools and limits of their uses. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isAbsent } from './bounds.ts';
import { textOf } from './fields.ts';

/**
 * How often a tool may be used, or how much it may bring along, where a request says it; what is no whole number from 1
 * on says nothing. OpenAI refuses a `max_tool_calls` of 0, Anthropic a `max_uses` and xAI a `max_search_results`, and so
 * do the readers of requests; what an operator's own fields say is not read by them, and upstreams differ in whether 0 is
 * none or no limit.
 */
export const limitIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : null;

/** Tools that the caller runs himself; some clients forget the type. */
export const isCallers = ({ type }: JsonObject): boolean =>
  isAbsent(type) || type === 'function' || type === 'custom';

/** How items of Responses that are calls are named behind the tool that they call. */
export const CALL = '_call';

/** Kinds of items that are calls of the caller's own tools. */
export const CALLERS: readonly string[] = [
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
];

/** What a hosted tool draws is such an item. */
export const DRAWS = 'image_generation_call';

/** Whether its picture has come: it begins without any, and so it ends where it fails, as where moderation stops it. */
export const holdsPicture = ({ type, result }: JsonObject): boolean =>
  type === DRAWS && !isAbsent(result) && result !== '';

/** What a tool that runs at a vendor has for a model, at any depth; the tools that it holds are tools of their own. */
export const modelsIn = (tool: Json | undefined): Json[] => {
  if (Array.isArray(tool)) return tool.flatMap(modelsIn);
  if (!isObject(tool)) return [];
  return Object.entries(tool).flatMap(([name, value]) => {
    if (isAbsent(value) || (name === 'tools' && Array.isArray(value))) return [];
    return name === 'model' ? [value] : modelsIn(value);
  });
};

/**
 * A search by OpenAI's and Anthropic's names for it, which may end in the date of their version. What only begins so is
 * another tool (DashScope's `web_search_image`), whose uses are told by its own name.
 */
const SEARCH = /^web_search(_preview)?(?:_\d{4}_?\d\d_?\d\d)?$/;

export const kindOf = ({ type }: JsonObject): string => {
  const name = textOf(type) ?? '';
  return SEARCH.test(name) ? 'web_search' : name;
};

/** OpenAI's search of before, which is told as the other. */
export const isSearchOfBefore = ({ type }: JsonObject): boolean =>
  SEARCH.exec(textOf(type) ?? '')?.[1] !== undefined;

/** xAI searches the files of a message with a tool that nobody has to name (docs.x.ai, Files). */
export const SEARCHES_FILES = /grok/i;

/** xAI's live search, which is paid by the source and not by the use; its own default of them (docs.x.ai, Live Search). */
export const LIVE_SEARCH_SOURCES = 20;

/**
 * What Groq runs, as its answers name it, and the name that it is charged by (console.groq.com, Built-in tools). Code and
 * browsers that it drives cost it by the hour, and no answer tells how long: what has no price a use goes up once an operator
 * has named one.
 */
export const RAN: Readonly<Record<string, string>> = {
  search: 'web_search',
  web_search: 'web_search',
  browser_search: 'browser_search',
  python: 'code_execution',
  code_interpreter: 'code_execution',
  visit: 'visit_website',
  visit_website: 'visit_website',
  browser_automation: 'browser_automation',
  wolfram_alpha: 'wolfram_alpha',
};

export const RAN_AS: readonly string[] = [...new Set(Object.values(RAN))];
