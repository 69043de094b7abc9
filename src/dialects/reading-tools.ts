/**
 * Which tools that a request may set off at its upstream read something into the prompt, as each wire says it, and what
 * limits that: pages and results are charged as prompt, whether or not a use has a price of its own.
 */
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import { LISTS, type ReadingTool } from '../core/tool-reading.ts';
import { named } from './account.ts';
import { toolsOf, withEachTool } from './all-tools.ts';
import { isAbsent } from './bounds.ts';
import { hasFields, objectOf, objectsOf, textOf } from './fields.ts';
import { camelFields } from './gemini/names.ts';
import { camelOf } from './spelling.ts';
import { CALL, CALLERS, isCallers, kindOf, LIVE_SEARCH_SOURCES, limitIn } from './tool-words.ts';

const reading = (name: string, more: Partial<ReadingTool> = {}): ReadingTool => ({
  name,
  most: null,
  tokens: null,
  ...more,
});

/** What so many servers of tools list, which only they know. */
const listsOf = (servers: number): ReadingTool[] =>
  servers === 0 ? [] : [reading(LISTS, { most: servers, apart: true, ahead: true })];

const isServer = (tool: JsonObject): boolean => kindOf(tool) === 'mcp';

// ---- Chat Completions --------------------------------------------------------------------------------------------

/** What is searched by option or by model: OpenAI and Perplexity do not count what these find (their price lists). */
export const UNCOUNTED = 'web_search_options';

/** Zhipu's search has a switch of its own inside, which means nothing in any other tool. */
export const isOffTool = (tool: JsonObject): boolean =>
  kindOf(tool) === 'web_search' && objectOf(tool.web_search)?.enable === false;

/** The body without searches that are switched off: whoever does not know the switch would search. */
export const withoutOffTools = (body: JsonObject): JsonObject =>
  withEachTool(body, (tool) => (isOffTool(tool) ? null : tool));

/** Of this wire, whose services look things up before the model reads, and tell it at the end. */
export function chatReads(
  body: JsonObject,
  given: readonly JsonObject[],
  searched: Pick<ReadingTool, 'name' | 'most' | 'usual'> | null,
  hasFiles: boolean,
): ReadingTool[] {
  const on = given.filter((tool) => !isCallers(tool) && !isOffTool(tool));
  const uses = [
    ...(searched ? [readOfSearch(searched)] : []),
    ...(hasFiles ? [reading('attachment_search')] : []),
    ...sourcesRead(body),
    ...on.map((tool) =>
      tool.type === 'live_search'
        ? sources(tool.max_search_results)
        : reading(kindOf(tool), { most: limitIn(tool.max_uses) }),
    ),
  ].map((tool): ReadingTool => ({ ...tool, toldLate: true, once: true }));
  return [...uses, ...listsOf(on.filter(isServer).length)];
}

function readOfSearch({ name, most, usual = 'web_search' }: Pick<ReadingTool, 'name' | 'most' | 'usual'>) {
  // Nobody knows how much one search of a vendor's own finds: as much as several usually do.
  return name === UNCOUNTED ? reading(name, { most, usual }) : reading(name);
}

const sources = (most: unknown): ReadingTool =>
  reading('search_source', {
    most: limitIn(most) ?? LIVE_SEARCH_SOURCES,
    apart: true,
    toldLate: true,
    once: true,
  });

function sourcesRead({ search_parameters: given }: JsonObject): ReadingTool[] {
  if (isAbsent(given)) return [];
  const { mode, max_search_results: most } = objectOf(given) ?? {};
  return mode === 'off' ? [] : [sources(most)];
}

// ---- Responses ---------------------------------------------------------------------------------------------------

/** What runs at the caller's, and what only names others. */
const CALLERS_OF_RESPONSES: ReadonlySet<string> = new Set([
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
  'namespace',
  'tool_search',
]);

/**
 * Servers of tools, programs of OpenAI's models that call the other tools of a request (its guide to programmatic tool
 * calling, which names no price), and what xAI has none for (docs.x.ai/developers/pricing): they cost what is read.
 */
export const TOKENS_OF_RESPONSES: ReadonlySet<string> = new Set([
  'mcp',
  'programmatic_tool_calling',
  'view_image',
  'view_x_video',
]);

/** OpenAI's chunks of files have so many tokens, and so many of them are found (its guide to file search). */
const CHUNK_TOKENS = 800;

export function responsesReads(
  body: JsonObject,
  given: readonly JsonObject[],
  hasFiles: boolean,
): ReadingTool[] {
  const tools = given
    .filter((tool) => !isCallersOfResponses(tool))
    .map((tool) => {
      const results = limitIn(tool.max_num_results);
      return reading(kindOf(tool), { tokens: results === null ? null : results * CHUNK_TOKENS });
    });
  return [
    ...tools,
    ...(hasFiles ? [reading('attachment_search')] : []),
    ...sourcesRead(body),
    ...listsOf(given.filter(isServer).length),
    ...keptIn(body),
  ];
}

/** Calls that say elsewhere what they gave, or as a picture. */
const TOLD_APART: ReadonlySet<string> = new Set([
  ...CALLERS,
  'shell_call',
  'tool_search_call',
  'image_generation_call',
]);
/** In which items say what a tool of the vendor's gave. */
const GIVEN = ['output', 'outputs', 'result', 'results', 'tools', 'error'];

/**
 * What tools of the vendor's found for earlier answers, in items that say none of it: the service may read it by their
 * ids, as much as a use of the tool brings along. What was thought is remembered elsewhere, by its ids.
 */
const keptIn = ({ input }: JsonObject): ReadingTool[] =>
  objectsOf(input).flatMap((item) => {
    const type = textOf(item.type) ?? '';
    const isFound = type === LISTS || (type.endsWith(CALL) && !TOLD_APART.has(type));
    if (!isFound || !named(item.id, item) || GIVEN.some((field) => named(item[field], item))) return [];
    const name = type === LISTS ? type : type.slice(0, -CALL.length);
    return reading(name, { most: 1, apart: true, ahead: true });
  });

/** A shell on the caller's own machine; in any other tool the word says nothing. */
const isLocal = ({ type, environment }: JsonObject): boolean =>
  type === 'shell' && objectOf(environment)?.type === 'local';

/** What asks the caller to run something, or runs nothing. */
export const isCallersOfResponses = (tool: JsonObject): boolean =>
  isCallers(tool) || CALLERS_OF_RESPONSES.has(textOf(tool.type) ?? '') || isLocal(tool);

// ---- Messages ----------------------------------------------------------------------------------------------------

/** Their names end in the date of their version. */
const VERSION = /_\d{8}$/;
export const bareName = ({ type }: JsonObject): string => (textOf(type) ?? '').replace(VERSION, '');
const CALLERS_OF_MESSAGES: ReadonlySet<string> = new Set([
  'bash',
  'text_editor',
  'computer',
  'computer_toolset',
  'browser_toolset',
  'memory',
]);

/** Anthropic takes nothing for them but tokens; of code, beyond the hours that an account has for nothing (its price list). */
export const TOKENS_OF_MESSAGES: ReadonlySet<string> = new Set([
  'web_fetch',
  'code_execution',
  'mcp_toolset',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
]);

/** The same on this wire. */
export const isCallersOfMessages = (tool: JsonObject): boolean =>
  isCallers(tool) || CALLERS_OF_MESSAGES.has(bareName(tool));

function readOfMessages(tool: JsonObject): ReadingTool | null {
  const name = bareName(tool);
  if (isCallersOfMessages(tool)) return null;
  const most = limitIn(tool.max_uses);
  if (name === 'mcp_toolset') return reading('mcp');
  return reading(kindOf({ type: name }), {
    most,
    tokens: name === FETCH ? limitIn(tool.max_content_tokens) : null,
  });
}

/** Servers of tools; an object of nothing is none. */
export const serversIn = ({ mcp_servers: servers }: JsonObject): JsonObject[] =>
  objectsOf(servers).filter(hasFields);

export function messagesReads(body: JsonObject, given: readonly JsonObject[]): ReadingTool[] {
  const found = given.flatMap((tool) => readOfMessages(tool) ?? []);
  const sets = found.filter(({ name }) => name === 'mcp').length;
  const servers = serversIn(body).length;
  const unnamed = servers === 0 || sets > 0 ? [] : [reading('mcp')];
  return [...found, ...unnamed, ...listsOf(Math.max(sets + unnamed.length, servers))];
}

export const FETCH = 'web_fetch';
export const isFetch = (tool: JsonObject): boolean => bareName(tool) === FETCH;

/** The body with a limit where it leaves open how much of a page is read: the one field of this wire for that. */
export function withContentLimits(body: JsonObject, tokens: (name: string) => number): JsonObject {
  const isOpen = (tool: JsonObject) => isFetch(tool) && limitIn(tool.max_content_tokens) === null;
  return withEachTool(body, (tool) => (isOpen(tool) ? { ...tool, max_content_tokens: tokens(FETCH) } : tool));
}

// ---- Gemini ------------------------------------------------------------------------------------------------------

/** By the field that switches it on; what is not named here finds things as a search does. */
const OF_GEMINI: Readonly<Record<string, string | null>> = {
  functionDeclarations: null,
  computerUse: null,
  codeExecution: 'code_execution',
  urlContext: 'url_context',
  fileSearch: 'file_search',
};

/** What a tool of this wire switches on: one for each of its fields. */
export const geminiNames = (tool: JsonObject): string[] =>
  Object.entries(camelFields(tool)).flatMap(([name, value]) => (isAbsent(value) ? [] : [name]));

/** A request fetches at most so many pages: those that it names, and what its searches find (ai.google.dev, URL context). */
const PAGES_MAX = 20;
const ADDRESS = /https?:/gi;

/**
 * Of a model that is billed by the search Google charges nobody for what these find (its price list, and Vertex's): not of one
 * that is billed by the prompt, nor for pages that a request names, and of anything else nothing is said.
 */
const UNBILLED: ReadonlySet<string> = new Set(['googleSearch', 'googleMaps', 'enterpriseWebSearch']);

/** What they find is counted once, beside the prompt (`toolUsePromptTokenCount`), and told at the end. */
export function geminiReads(body: JsonObject, fields: readonly string[], isBySearch: boolean): ReadingTool[] {
  const { cachedContent, contents, systemInstruction } = camelFields(body);
  const names = fields.flatMap((field) => {
    const name = own(OF_GEMINI, field);
    return name === null ? [] : [name ?? 'google_search'];
  });
  // A prompt that the service keeps may bring tools along.
  if (!isAbsent(cachedContent)) names.push('google_search');
  const searches = names.includes('google_search');
  const runsAtCallers = (field: string) => own(OF_GEMINI, field) === null;
  const unbilled =
    isBySearch &&
    isAbsent(cachedContent) &&
    fields.every((field) => runsAtCallers(field) || UNBILLED.has(camelOf(field)));
  const uses = [...new Set(names)].map((name) => {
    const named = name === 'url_context' && !searches ? pagesIn([contents, systemInstruction]) : null;
    return reading(name, { most: named, toldLate: true, once: true, ...(unbilled && { unbilled }) });
  });
  const servers = toolsOf(body).flatMap((tool) => [camelFields(tool).mcpServers].flat());
  return [...uses, ...listsOf(servers.filter((server) => !isAbsent(server)).length)];
}

const pagesIn = (said: unknown): number =>
  Math.min(Math.max(JSON.stringify(said).match(ADDRESS)?.length ?? 0, 1), PAGES_MAX, limits.toolUsesMax);
