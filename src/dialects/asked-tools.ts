/**
 * Which paid tools of its upstream a request may set off, as each wire says it: a fact of every request, by which quota
 * is held for them before it goes up. What `tool-uses.ts` can count in an answer must be found here in the request.
 */
import { isObject, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import { NO_TOOLS, type PaidTool, type PaidTools } from '../core/paid-tools.ts';
import { integerIn, isAbsent } from './bounds.ts';
import { containersOf } from './containers.ts';
import { objectOf, objectsOf, textOf } from './fields.ts';
import { camelFields } from './gemini/names.ts';

/**
 * How often a tool may be used, where a request says it; what is no whole number from 1 on says nothing. OpenAI refuses
 * a `max_tool_calls` of 0, Anthropic a `max_uses` and xAI a `max_search_results`, and so do the readers of requests; what
 * an operator's own fields say is not read by them, and upstreams differ in whether 0 is none or no limit.
 */
const usesIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : null;

/** A limit of uses as upstreams take them, and within what is counted. */
export const toolLimitIn = (value: unknown, field: string): number | null =>
  integerIn(value, field, 1, limits.toolUsesMax);

/** Refuses any other where a request says one of a tool. */
export function checkToolLimits(body: JsonObject): void {
  toolLimitIn(objectOf(body.search_parameters)?.max_search_results, 'search_parameters.max_search_results');
  if (!Array.isArray(body.tools)) return;
  for (const [n, tool] of body.tools.entries()) {
    if (isObject(tool) && !isCallers(tool)) toolLimitIn(tool.max_uses, `tools[${n}].max_uses`);
  }
}

const search = (most: number | null = null): PaidTool => ({ as: ['web_search'], most });

/** Nobody knows how long a model looks that is made to find things out. */
const RESEARCHES = /research/i;
const DEEP = 'deep_research';

/** How often a tool is used whose number a request leaves open. */
export type Usual = (tool: PaidTool) => number;

const found = (tools: readonly (PaidTool | null)[], together: number | null = null): PaidTools => {
  const all = tools.filter((tool) => tool !== null);
  return all.length === 0 ? NO_TOOLS : { tools: all, together };
};

/** True when tools run at the upstream, paid for or not: what they find is read as prompt, round after round. */
export function runsTools(body: JsonObject): boolean {
  if (!isAbsent(body.mcp_servers)) return true;
  const tools = Array.isArray(body.tools) ? body.tools : [body.tools];
  return objectsOf(tools).some((tool) =>
    typeof tool.type === 'string'
      ? !isCallers(tool)
      : !('name' in tool || 'function' in tool) &&
        Object.keys(camelFields(tool)).some((name) => name !== 'functionDeclarations'),
  );
}

// ---- Chat Completions --------------------------------------------------------------------------------------------

/** Perplexity's models search as often as they like, those of OpenAI that search do it once for an answer. */
const SEARCHES_FREELY = /sonar/i;
const SEARCHES_ONCE = /search|:online$/i;

export function chatTools(body: JsonObject, model: string): PaidTools {
  const tools = objectsOf(body.tools).map((tool) => {
    if (isCallers(tool)) return null;
    return tool.type === 'live_search' ? sources(tool.max_search_results) : search(usesIn(tool.max_uses));
  });
  // Answers of this wire tell what was searched beside their usage, at the end.
  return found(
    [searchOfChat(body, model), sourcesIn(body), attachmentsIn(body.messages, model), ...tools].map(
      (tool) => tool && { ...tool, toldLate: true },
    ),
  );
}

function searchOfChat(body: JsonObject, model: string): PaidTool | null {
  if (RESEARCHES.test(model)) return { ...search(), usual: DEEP };
  if (SEARCHES_FREELY.test(model)) return search();
  const asks = !isAbsent(body.web_search_options) || objectsOf(body.plugins).some(({ id }) => id === 'web');
  return asks || SEARCHES_ONCE.test(model) ? search(1) : null;
}

/** Tools that the caller runs himself; some clients forget the type. */
const isCallers = ({ type }: JsonObject): boolean =>
  type === undefined || type === 'function' || type === 'custom';

/** xAI's live search, which is paid by the source and not by the use; its own default of them (docs.x.ai, Live Search). */
const SOURCES = 20;
const sources = (most: unknown): PaidTool => ({
  as: ['search_source'],
  most: usesIn(most) ?? SOURCES,
  apart: true,
});

function sourcesIn({ search_parameters: given }: JsonObject): PaidTool | null {
  if (isAbsent(given)) return null;
  const { mode, max_search_results: most } = objectOf(given) ?? {};
  return mode === 'off' ? null : sources(most);
}

/** xAI searches the files of a message with a tool that nobody has to name (docs.x.ai, Files). */
const SEARCHES_FILES = /grok/i;

function attachmentsIn(messages: unknown, model: string): PaidTool | null {
  if (!SEARCHES_FILES.test(model)) return null;
  const parts = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const isFile = ({ type }: JsonObject) => type === 'input_file' || type === 'file';
  return parts.some(isFile) ? { as: ['attachment_search'], most: null } : null;
}

// ---- Responses ---------------------------------------------------------------------------------------------------

const PICTURES = ['image_generation_low', 'image_generation_medium', 'image_generation_high'] as const;

/** A picture of a quality that the request leaves open may be of the dearest. */
function pictures({ quality }: JsonObject): PaidTool {
  const asked = PICTURES.find((name) => name === `image_generation_${textOf(quality)}`);
  return { as: asked ? [asked] : PICTURES, told: PICTURES, most: null, usual: 'image_generation' };
}

/**
 * By the name that a request has for each. OpenAI's are in its guide to tools; xAI's in its price list
 * (docs.x.ai/developers/pricing): what it has no price for (`view_image`, `view_x_video`, `mcp`) costs tokens alone.
 */
const OF_RESPONSES: Readonly<Record<string, (tool: JsonObject) => PaidTool>> = {
  web_search: () => search(),
  x_search: () => ({ as: ['x_search'], most: null }),
  file_search: () => ({ as: ['file_search'], most: null }),
  collections_search: () => ({ as: ['file_search'], most: null }),
  attachment_search: () => ({ as: ['attachment_search'], most: null }),
  // xAI's own name for it, at a price of its own; its answers tell it by OpenAI's.
  code_execution: () => ({ as: ['code_execution'], told: ['code_interpreter'], most: null }),
  image_generation: pictures,
};

/** What a prompt that OpenAI keeps may bring along. */
const OF_PROMPTS = ['web_search', 'file_search', 'code_interpreter', 'image_generation'];

/** Names of search end in the date of their version. */
const kindOf = ({ type }: JsonObject): string =>
  textOf(type)?.startsWith('web_search') ? 'web_search' : (textOf(type) ?? '');

export function responsesTools(body: JsonObject, model: string): PaidTools {
  // A prompt that the service keeps may bring any tool along.
  const given = isAbsent(body.prompt)
    ? objectsOf(body.tools)
    : [...objectsOf(body.tools), ...OF_PROMPTS.map((type) => ({ type }))];
  const tools = [
    ...given.map((tool) => own(OF_RESPONSES, kindOf(tool))?.(tool) ?? null),
    ...containersOf(given),
    attachmentsIn(body.input, model),
  ].map((paid) => (paid && RESEARCHES.test(model) ? { usual: DEEP, ...paid } : paid));
  return found([...tools, sourcesIn(body)], usesIn(body.max_tool_calls));
}

/** The one limit of this wire counts all tools, so that it is that of the one which is used most. */
export function withCallLimit(body: JsonObject, { tools, together }: PaidTools, usual: Usual): JsonObject {
  const counted = tools.filter(({ apart }) => !apart);
  if (together !== null || counted.length === 0) return body;
  return { ...body, max_tool_calls: Math.max(...counted.map(usual)) };
}

// ---- Messages ----------------------------------------------------------------------------------------------------

const searchOfMessages = (tool: JsonObject): PaidTool | null =>
  kindOf(tool) === 'web_search' ? search(usesIn(tool.max_uses)) : null;

export const messagesTools = ({ tools }: JsonObject): PaidTools =>
  found(objectsOf(tools).map(searchOfMessages));

/** Each tool of this wire has a limit of its own. */
export function withUseLimits(body: JsonObject, paid: PaidTools, usual: Usual): JsonObject {
  if (!Array.isArray(body.tools) || paid.tools.every(({ most }) => most !== null)) return body;
  const limited = body.tools.map((tool) => {
    const searches = isObject(tool) ? searchOfMessages(tool as JsonObject) : null;
    return searches?.most === null ? { ...(tool as JsonObject), max_uses: usual(searches) } : tool;
  });
  return { ...body, tools: limited };
}

// ---- Gemini ------------------------------------------------------------------------------------------------------

/** What an answer leans on is paid for wherever Google found it; these find nothing. */
const FINDS_NOTHING: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'codeExecution',
  'computerUse',
  'urlContext',
]);

export function geminiTools(body: JsonObject): PaidTools {
  const { tools, cachedContent } = camelFields(body);
  const names = objectsOf(Array.isArray(tools) ? tools : [tools]).flatMap((tool) =>
    Object.entries(camelFields(tool)).flatMap(([name, value]) => (isAbsent(value) ? [] : [name])),
  );
  // A prompt that the service keeps may bring tools along.
  const finds = !isAbsent(cachedContent) || names.some((name) => !FINDS_NOTHING.has(name));
  // No field says how often, and only the end of an answer tells.
  return found(finds ? [{ as: ['google_search'], most: null, toldLate: true }] : []);
}

// ---- Realtime ----------------------------------------------------------------------------------------------------

/** Of the settings of a session or of one answer, which name tools as Responses does. */
export const realtimeTools = ({ tools = null }: JsonObject): PaidTools => responsesTools({ tools }, '');
