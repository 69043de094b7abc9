/**
 * Which paid tools of its upstream a request may set off, as each wire says it: a fact of every request, by which quota
 * is held for them before it goes up. What `tool-uses.ts` can count in an answer must be found here in the request.
 */

import { picturesOfTool } from '../core/drawing-tokens.ts';
import type { JsonObject } from '../core/json.ts';
import { largestOf } from '../core/largest.ts';
import { limits } from '../core/limits.ts';
import { isClaude, isGemini, isMakers, namesClaude, plainName } from '../core/model-families.ts';
import { own } from '../core/own.ts';
import { NO_TOOLS, type PaidTool, type PaidTools, withNames } from '../core/paid-tools.ts';
import { thinksUnseen } from '../core/thinkers.ts';
import type { ReadingTool } from '../core/tool-reading.ts';
import { toolsOf, withEachTool } from './all-tools.ts';
import { integerIn, isAbsent } from './bounds.ts';
import { containersOf, runsInContainer } from './containers.ts';
import { countOf, objectOf, objectsOf, textOf } from './fields.ts';
import { SEARCH_SWITCHES } from './gateway-fields.ts';
import { camelFields } from './gemini/names.ts';
import {
  bareName,
  chatReads,
  FETCH,
  geminiNames,
  geminiReads,
  isCallersOfMessages,
  isCallersOfResponses,
  isFetch,
  isOffTool,
  messagesReads,
  responsesReads,
  serversIn,
  TOKENS_OF_MESSAGES,
  TOKENS_OF_RESPONSES,
  UNCOUNTED,
} from './reading-tools.ts';
import {
  isCallers,
  isSearchOfBefore,
  kindOf,
  LIVE_SEARCH_SOURCES,
  limitIn,
  RAN_AS,
  SEARCHES_FILES,
} from './tool-words.ts';

/** A limit of uses as upstreams take them, and within what is counted. */
export const toolLimitIn = (value: unknown, field: string): number | null =>
  integerIn(value, field, 1, limits.toolUsesMax);

/** Refuses any other where a request says one of a tool. */
export function checkToolLimits(body: JsonObject): void {
  toolLimitIn(objectOf(body.search_parameters)?.max_search_results, 'search_parameters.max_search_results');
  withEachTool(body, (tool, { at }) => {
    if (isCallers(tool)) return tool;
    toolLimitIn(tool.max_uses, `${at}.max_uses`);
    integerIn(tool.max_content_tokens, `${at}.max_content_tokens`, 1, limits.maxTokensCap);
    return tool;
  });
}

const search = (most: number | null = null): PaidTool => ({ as: ['web_search'], most });

/** OpenAI's of before, where it has a price of its own: at models that do not think (its price list, "Web search"). */
const searchOfBefore = (most: number | null = null, usual = 'web_search'): PaidTool => ({
  as: ['web_search_preview'],
  told: ['web_search'],
  most,
  usual,
});

/** Perplexity takes one price a request, however often its model searches for it (its price list, "Request Pricing"). */
const searchByRequest = (as: string): PaidTool => ({
  as: [as],
  told: ['web_search'],
  most: 1,
  always: 1,
  once: true,
});

/** Whichever of them it is: the answer tells. */
const ran = (most: number | null): PaidTool => ({ as: RAN_AS, most });

/** Nobody knows how long a model looks that is made to find things out. */
const RESEARCHES = /research/i;
const DEEP = 'deep_research';

/**
 * The names of a model: the upstream's, which may be its operator's own (a deployment), and what it is called by. What it
 * does unasked any of them tells, and by which of its vendor's prices the first.
 */
export type Names = readonly string[];

/** Those that tell what it surely does: another than the upstream's tells that only where this is its operator's own. */
export const sureOf = (names: Names): Names =>
  isMakers(plainName(names[0] ?? '')) ? names.slice(0, 1) : names;

const isAny = (names: Names, words: RegExp): boolean => names.some((name) => words.test(name));

/**
 * Google's search, where a model of its own is asked on another wire: LiteLLM asks Google for whatever that wire calls one.
 * It costs what it does on Google's wire, and is told by the word of all others. Null at other models.
 */
function googlesSearch(names: Names): PaidTool | null {
  const model = sureOf(names).find((name) => isGemini(plainName(name)));
  if (model === undefined) return null;
  const google = grounding([GOOGLES], model);
  return { ...google, told: [...(google.told ?? []), 'web_search'] };
}

/** How often a tool is used whose number a request leaves open. */
export type Usual = (tool: PaidTool) => number;

const found = (
  tools: readonly (PaidTool | null)[],
  reads: readonly ReadingTool[],
  together: number | null = null,
): PaidTools => {
  const all = withNames(tools.filter((tool) => tool !== null));
  if (reads.length > 0) return { tools: all, together, reads };
  return all.length === 0 ? NO_TOOLS : { tools: all, together };
};

/** True when tools run at the upstream, paid for or not: what they find is read as prompt, round after round. */
export function runsTools(body: JsonObject): boolean {
  if (serversIn(body).length > 0) return true;
  return toolsOf(body).some((tool) =>
    typeof tool.type === 'string'
      ? !isCallers(tool)
      : !('name' in tool || 'function' in tool) &&
        Object.keys(camelFields(tool)).some((name) => name !== 'functionDeclarations'),
  );
}

/**
 * Words of tools that run code, whoever's they are: interpreters, shells, programs; and Anthropic's search and fetch from
 * 2026 on, whose model filters by code what they find, asked for or not (vercel/ai#15566).
 */
const CODE = /code|shell|program|^web_(?:search|fetch)_(?!2025)\d{8}$/i;

/** The same of a field of the body, by which Alibaba's chats ask for it; not of a `language_code`. */
const CODE_FIELD = /(?:^|_)(?:code_(?:interpreter|execution)|shell|program)/i;

const asksByField = (body: JsonObject): boolean =>
  Object.entries(body).some(([name, value]) => CODE_FIELD.test(name) && !isAbsent(value) && value !== false);

/** True when code may run at the upstream that its caller has had written: it can wait for as long as he likes. */
export const runsCode = (body: JsonObject, names: Names): boolean =>
  isAny(names, COMPOUND) ||
  asksByField(body) ||
  toolsOf(body).some((tool) =>
    typeof tool.type === 'string'
      ? !isCallersOfResponses(tool) && CODE.test(tool.type)
      : geminiNames(tool).some((field) => CODE.test(field)),
  );

// ---- Chat Completions --------------------------------------------------------------------------------------------

/** OpenRouter's name for a model of Perplexity's that searches in several steps. */
const SEARCHES_IN_STEPS = /sonar-pro-search/i;

/** Perplexity's own streams do where they are asked to; of an automatic choice no answer tells what it was. */
function searchesInSteps({ stream, web_search_options: options }: JsonObject, names: Names): boolean {
  const type = objectOf(options)?.search_type;
  return isAny(names, SEARCHES_IN_STEPS) || (stream === true && !isAbsent(type) && type !== 'fast');
}

/** Of how much context a search brings, which has three sizes: those that cost no more than searches do elsewhere. */
const USUAL_SIZES: ReadonlySet<unknown> = new Set(['low', 'medium']);

/** It takes more for one of several steps (its guide to Pro Search), or of the largest context. */
function searchOfPerplexity(body: JsonObject, names: Names): PaidTool {
  if (searchesInSteps(body, names)) return searchByRequest('web_search_pro');
  const size = objectOf(body.web_search_options)?.search_context_size;
  return searchByRequest(isAbsent(size) || USUAL_SIZES.has(size) ? 'web_search' : 'web_search_high');
}

/** Perplexity's models search for every answer, those of OpenAI that search do it once. */
const OF_PERPLEXITY = /sonar/i;
const SEARCHES_ONCE = /search/i;
/**
 * OpenAI's search for every answer ("always retrieves information from the web before responding", its guide to web
 * search), and so does OpenRouter's plugin of that name: they bill it whether or not the answer cites what was found.
 */
export const SEARCHES_ALWAYS = /search-(?:preview|api)|:online$/i;
/** Those of before, of which none thinks. */
const SEARCHED_BEFORE = /search-preview/i;
/** Groq's compound models use tools unasked, ten at the most and the small one a single one (console.groq.com, Systems). */
const COMPOUND = /(?:^|\/)compound(?:-beta)?(-mini)?$/i;

/** Whether what tools find stands among the thoughts: of all that run them only Groq's systems show it there. */
export const showsFound = (names: Names): boolean => isAny(names, COMPOUND);

const isOn = (value: unknown): boolean => !isAbsent(value) && value !== false;

/** Whether a switch is on: Qianfan says it within an object, and nobody else does. */
export const isSwitchOn = (name: (typeof SEARCH_SWITCHES)[number], value: unknown): boolean =>
  isOn(value) && !(name === 'web_search' && objectOf(value)?.enable === false);

/** DashScope's strategies that search round after round, and read whole pages. */
const READS_PAGES = /agent/i;

interface SearchOfChat {
  tool: PaidTool;
  /** Under which name it stands in the table of what a use brings along. */
  brings: string;
  /** It may be any of what Groq's compound models run. */
  isCompounds?: true;
}

export function chatTools(body: JsonObject, names: Names): PaidTools {
  // Answers of this wire tell what was searched beside their usage, at the end.
  const searched = searchOfChat(body, names);
  const attached = attachmentsIn(body.messages, names);
  const given = toolsOf(body);
  // Most calls bring nothing along, and need none of what follows.
  if (!searched && !attached && given.length === 0 && isAbsent(body.search_parameters)) return NO_TOOLS;
  const isOff = (tool: JsonObject) => isCallers(tool) || isOffTool(tool);
  const searches = given.filter((tool) => isSearch(tool) && !isOff(tool)).length;
  const tools = given.map((tool) => {
    if (isOff(tool)) return null;
    if (tool.type === 'live_search') return sources(tool.max_search_results);
    const most = limitIn(tool.max_uses);
    if (!isSearch(tool)) return ran(most);
    // Zhipu's search, which tells its sources only where it is asked to; each is one of its own.
    return googlesSearch(names) ?? { ...search(most), always: searches };
  });
  return found(
    [searched?.tool ?? null, sourcesIn(body), attached, ...tools].map(
      (tool) => tool && { ...tool, toldLate: true },
    ),
    chatReads(body, given, searched && { ...searched.tool, name: searched.brings }, attached !== null),
  );
}

/**
 * A search that any name of its model tells is held for, at the dearest of their prices. What no answer tells is charged
 * by those alone that are sure: an operator may call a model as he likes that never searches.
 */
function searchOfChat(body: JsonObject, names: Names): SearchOfChat | null {
  const held = searchByNames(body, names);
  if (!held?.tool.always) return held;
  const { always, ...tool } = held.tool;
  const { as = [], always: isSure } = searchByNames(body, sureOf(names))?.tool ?? {};
  return { ...held, tool: { ...tool, as: [...new Set([...as, ...tool.as])], ...(isSure && { always }) } };
}

/**
 * Perplexity takes its price of a request whether it searches or not, and also where it is asked not to
 * (docs.perplexity.ai/guides/search-control-guide: "pricing remains the same"): `disable_search` makes nothing cheaper. Its
 * research alone is billed by the search.
 */
function searchByNames(body: JsonObject, names: Names): SearchOfChat | null {
  const isPlugged = objectsOf(body.plugins).some(({ id, enabled }) => id === 'web' && enabled !== false);
  const isAlways = isPlugged || isAny(names, SEARCHES_ALWAYS);
  const isAsked = !isAbsent(body.web_search_options) || isAny(names, SEARCHES_ONCE);
  const google = isAsked ? googlesSearch(names) : null;
  if (google) return { tool: { ...google, ...(isAlways && { always: 1 }) }, brings: 'google_search' };
  const always = isAny(names, OF_PERPLEXITY);
  const uncounted = (tool: PaidTool): SearchOfChat => ({ tool, brings: UNCOUNTED });
  if (isAny(names, RESEARCHES)) return uncounted({ ...search(), ...(always && { always: 1 }), usual: DEEP });
  if (always) return uncounted(searchOfPerplexity(body, names));
  if (isAny(names, SEARCHED_BEFORE)) return uncounted({ ...searchOfBefore(1), always: 1 });
  const compounds = names.map((name) => COMPOUND.exec(name)).filter((found) => found !== null);
  if (compounds.length > 0) {
    const isSmall = compounds.every(([, small]) => small);
    return { tool: ran(isSmall ? 1 : 10), brings: 'web_search', isCompounds: true };
  }
  const asked = search(mostAsked(body, names));
  if (SEARCH_SWITCHES.some((name) => isSwitchOn(name, body[name]))) return searchBySwitch(body, asked);
  if (isAlways) return uncounted({ ...asked, always: 1 });
  return isAsked ? uncounted(asked) : null;
}

/**
 * LiteLLM makes of the option Anthropic's own tool, which searches as often as its size says, and as it likes where that
 * says nothing. Everybody else searches once for it.
 */
function mostAsked({ web_search_options: options }: JsonObject, names: Names): number | null {
  if (isAbsent(options) || !names.some(namesClaude)) return 1;
  return own(USES_OF_SIZES, textOf(objectOf(options)?.search_context_size) ?? '') ?? null;
}

/**
 * Behind an operator's address: New API has a Claude search as LiteLLM does, and tells its callers nothing of it. Where no
 * word tells how often, not even that it was never, it was once; what was found is paid for as prompt. Streams of LiteLLM's
 * tell of no research how often it has searched.
 */
export function onceAtLeast(
  paid: PaidTools,
  { web_search_options: options }: JsonObject,
  names: Names,
): PaidTools {
  const isAsked = !isAbsent(options) && sureOf(names).some((name) => isClaude(plainName(name)));
  const tools = paid.tools.map((tool) =>
    asHeld(isAsked && tool.as.includes('web_search') ? { ...tool, always: tool.always ?? 1 } : tool),
  );
  return { ...paid, tools };
}

/**
 * The same on wires beside chats, where a request leaves its model nothing but to search: LiteLLM tells no more than what it
 * shows, and at Responses and in streams nothing. Who leaves it to his model may not have had it searched.
 */
export function onceWhereForced(paid: PaidTools, body: JsonObject): PaidTools {
  if (!forcesSearch(body)) return paid;
  const tools = paid.tools.map((tool) =>
    tool.as.some((name) => SEARCHED.has(name)) ? { ...tool, always: tool.always ?? 1 } : tool,
  );
  return { ...paid, tools };
}
const SEARCHED: ReadonlySet<string> = new Set(['web_search', 'web_search_preview']);

const isSearch = (tool: JsonObject): boolean => kindOf(tool) === 'web_search';

/**
 * Whether a chat of any wire asks for a search, in words that others' put into their own: a tool without a name is one of
 * Responses, which no chat has.
 */
export const asksSearch = ({ web_search_options: options, tools }: JsonObject): boolean =>
  !isAbsent(options) ||
  objectsOf([tools].flat()).some(
    (tool) =>
      (isSearch(tool) && !isAbsent(tool.name)) || geminiNames(tool).some((name) => name.startsWith(GOOGLES)),
  );

function forcesSearch(body: JsonObject): boolean {
  const { tool_choice: choice } = body;
  const { type, name, mode, tools } = objectOf(choice) ?? {};
  if (isSearch({ type: type === 'tool' ? (name ?? null) : (type ?? null) })) return true;
  const [isAnyForced, given] =
    type === 'allowed_tools'
      ? [mode === 'required', objectsOf(tools)]
      : [choice === 'required' || type === 'any', toolsOf(body)];
  return isAnyForced && given.every(isSearch);
}

/** Many searches of one answer, for which there may be no word. */
const asHeld = (tool: PaidTool): PaidTool =>
  tool.always && tool.usual === DEEP ? { ...tool, always: 'held' } : tool;

const USES_OF_SIZES: Readonly<Record<string, number>> = { low: 1, medium: 5, high: 10 };

/** It is told by few and billed by all: where no number is told it was once. */
function searchBySwitch(
  { search_options: options, enable_deep_search: deep }: JsonObject,
  asked: PaidTool,
): SearchOfChat {
  const readsPages = isOn(deep) || READS_PAGES.test(textOf(objectOf(options)?.search_strategy) ?? '');
  return readsPages
    ? { tool: { ...search(), always: 1 }, brings: FETCH }
    : { tool: { ...asked, always: 1 }, brings: 'web_search' };
}

/** xAI's live search, which is paid by the source and not by the use. */
const sources = (most: unknown): PaidTool => ({
  as: ['search_source'],
  most: limitIn(most) ?? LIVE_SEARCH_SOURCES,
  apart: true,
});

function sourcesIn({ search_parameters: given }: JsonObject): PaidTool | null {
  if (isAbsent(given)) return null;
  const { mode, max_search_results: most } = objectOf(given) ?? {};
  return mode === 'off' ? null : sources(most);
}

function attachmentsIn(messages: unknown, names: Names): PaidTool | null {
  if (!isAny(names, SEARCHES_FILES)) return null;
  const parts = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const isFile = ({ type }: JsonObject) => type === 'input_file' || type === 'file';
  return parts.some(isFile) ? { as: ['attachment_search'], most: null } : null;
}

// ---- Wires beside chats ------------------------------------------------------------------------------------------

/**
 * As it is charged where its answer tells no use. Wires beside chats have a word neither for the many searches of one
 * research, which are charged as they are held, nor for what a compound model has run, of which one use is charged.
 */
const asUntold = ({ tool, isCompounds }: SearchOfChat): PaidTool =>
  asHeld(isCompounds ? { ...tool, always: 1 } : tool);

/**
 * What a model does of its own by its name, on whichever wire it is asked, and what words of chats have it do that went up
 * there all the same. Chats have it in their own reading.
 */
export function withUnasked(paid: PaidTools, body: JsonObject, names: Names): PaidTools {
  const searched = searchOfChat(body, names);
  if (!searched) return paid;
  const tool: PaidTool = { ...asUntold(searched), toldLate: true, apart: true };
  const isAsked = paid.tools.some(({ as }) => as.some((name) => tool.as.includes(name)));
  // It is the one that was asked for.
  if (isAsked && !tool.always) return paid;
  const reads = chatReads({}, [], { ...tool, name: searched.brings }, false);
  return {
    ...paid,
    tools: withNames([tool, ...paid.tools]),
    reads: [...(paid.reads ?? []), ...reads.map((read): ReadingTool => ({ ...read, apart: true }))],
  };
}

// ---- Responses ---------------------------------------------------------------------------------------------------

const PICTURE = 'image_generation_';
const PICTURES = ['image_generation_low', 'image_generation_medium', 'image_generation_high'] as const;

/**
 * A picture of a quality that the request leaves open may be of the dearest. The price is that of a usual one: what is
 * larger, shown half-done or drawn from others counts as several.
 */
function pictures(tool: JsonObject, reads: number): PaidTool {
  const { quality, size, model, input_fidelity: fidelity, input_image_mask: mask } = tool;
  const asked = PICTURES.find((name) => name === `${PICTURE}${textOf(quality)}`);
  const as = asked ? [asked] : PICTURES;
  const drawing = {
    size: textOf(size),
    partial: Math.min(countOf(tool.partial_images) ?? 0, PARTIAL_MOST),
    model: textOf(model),
    reads: reads + (isAbsent(mask) ? 0 : 1),
    isClose: !isAbsent(fidelity) && fidelity !== 'low',
  };
  const times = as.map((name) => [
    name,
    Math.min(picturesOfTool({ ...drawing, quality: name.slice(PICTURE.length) }), limits.toolUsesMax),
  ]);
  return {
    as,
    told: PICTURES,
    most: null,
    usual: 'image_generation',
    ...(drawing.model !== undefined && { by: drawing.model }),
    ...(times.some(([, count]) => count !== 1) && { times: Object.fromEntries(times) }),
  };
}

/** OpenAI shows at most three half-done. */
const PARTIAL_MOST = 3;

const PICTURES_READ: ReadonlySet<unknown> = new Set([
  'input_image',
  'image_generation_call',
  'computer_screenshot',
]);

/** Pictures of a conversation, from all of which a new one may be drawn: in messages, and in what tools of the caller's gave. */
export function picturesRead(input: unknown): number {
  const items = objectsOf(input);
  const within = items.flatMap(({ content, output }) => objectsOf([content, output].flat()));
  return [...items, ...within].filter(({ type }) => PICTURES_READ.has(type)).length;
}

/**
 * By the name that a request has for each. OpenAI's are in its guide to tools; xAI's in its price list
 * (docs.x.ai/developers/pricing): what it has no price for (`view_image`, `view_x_video`, `mcp`) costs tokens alone.
 */
const OF_RESPONSES: Readonly<Record<string, (tool: JsonObject, picturesRead: number) => PaidTool>> = {
  x_search: () => ({ as: ['x_search'], most: null }),
  file_search: () => ({ as: ['file_search'], most: null }),
  collections_search: () => ({ as: ['file_search'], most: null }),
  attachment_search: () => ({ as: ['attachment_search'], most: null }),
  // xAI's own name for it, at a price of its own; its answers tell it by OpenAI's.
  code_execution: () => ({ as: ['code_execution'], told: ['code_interpreter'], most: null }),
  image_generation: pictures,
};

/** What has no price here costs what the operator takes for it by its own name: nothing, unless he has named it. */
const otherOfResponses = (tool: JsonObject): PaidTool | null =>
  isCallersOfResponses(tool) || runsInContainer(tool) || TOKENS_OF_RESPONSES.has(kindOf(tool))
    ? null
    : { as: [kindOf(tool)], most: null };

/** Those that are held for and charged by the use, beside what runs in a container. */
export const PAID_OF_RESPONSES: ReadonlySet<string> = new Set(['web_search', ...Object.keys(OF_RESPONSES)]);

/** Whether a tool of this wire is one that is held for and charged by the use. */
export const isPaidOfResponses = (tool: JsonObject): boolean =>
  PAID_OF_RESPONSES.has(kindOf(tool)) || runsInContainer(tool);

/** What a prompt that OpenAI keeps may bring along. */
const OF_PROMPTS = ['web_search', 'file_search', 'code_interpreter', 'image_generation'];

export function responsesTools(
  body: JsonObject,
  names: Names,
  drawnFrom = picturesRead(body.input),
): PaidTools {
  const [model = ''] = names;
  const named = toolsOf(body);
  // A prompt that the service keeps may bring any tool along.
  const given = isAbsent(body.prompt) ? named : [...named, ...OF_PROMPTS.map((type) => ({ type }))];
  const attached = attachmentsIn(body.input, names);
  const researches = isAny(names, RESEARCHES);
  // An answer does not tell which of two searches it has used.
  const searches =
    googlesSearch(names) ??
    (given.some(isSearchOfBefore) && !thinksUnseen(model)
      ? searchOfBefore(null, researches ? DEEP : undefined)
      : search());
  const paidFor = (tool: JsonObject): PaidTool | null =>
    kindOf(tool) === 'web_search'
      ? searches
      : (own(OF_RESPONSES, kindOf(tool))?.(tool, drawnFrom) ?? otherOfResponses(tool));
  const tools = [...given.map(paidFor), ...containersOf(given), attached].map((paid) =>
    paid && researches ? { usual: DEEP, ...paid } : paid,
  );
  // What a kept prompt has read for itself is its operator's to allow: a hold for all of it would let nobody use one.
  const reads = responsesReads(body, named, attached !== null).map((tool) =>
    researches && !tool.apart ? { ...tool, name: DEEP } : tool,
  );
  return found([...tools, sourcesIn(body)], reads, limitIn(body.max_tool_calls));
}

/** The one limit of this wire counts all tools, so that it is that of the one which is used most. */
export function withCallLimit(
  body: JsonObject,
  { tools, together, reads = [] }: PaidTools,
  usual: Usual,
): JsonObject {
  const counted = [...tools, ...reads.map(asUsed)].filter(({ apart }) => !apart);
  if (together !== null || counted.length === 0) return body;
  return { ...body, max_tool_calls: largestOf(counted.map(usual)) };
}

/** A tool of which nothing but the number of its uses counts. */
const asUsed = ({ name, most, apart }: ReadingTool): PaidTool => ({
  as: [name],
  most,
  ...(apart && { apart }),
});

// ---- Messages ----------------------------------------------------------------------------------------------------

const searchOfMessages = (tool: JsonObject): PaidTool | null =>
  kindOf(tool) === 'web_search' ? search(limitIn(tool.max_uses)) : null;

/** As on the wire of Responses: answers tell a tool by the name that its version has none of. */
function paidOfMessages(tool: JsonObject, names: Names): PaidTool | null {
  const searched = searchOfMessages(tool);
  if (searched) return googlesSearch(names) ?? searched;
  const name = bareName(tool);
  const isOther = !isCallersOfMessages(tool) && !TOKENS_OF_MESSAGES.has(name);
  return isOther ? { as: [name], most: limitIn(tool.max_uses) } : null;
}

/** Those whose uses the wire limits. */
const limitedOfMessages = (tool: JsonObject): PaidTool | null =>
  searchOfMessages(tool) ?? (isFetch(tool) ? { as: [FETCH], most: limitIn(tool.max_uses) } : null);

export function messagesTools(body: JsonObject, names: Names): PaidTools {
  const given = toolsOf(body);
  const tools = given.map((tool) => paidOfMessages(tool, names));
  return found(tools, messagesReads(body, given));
}

/** Each tool of this wire has a limit of its own. */
export function withUseLimits(body: JsonObject, paid: PaidTools, usual: Usual): JsonObject {
  const isOpen = ({ most }: { most: number | null }) => most === null;
  if (!paid.tools.some(isOpen) && !paid.reads?.some(isOpen)) return body;
  return withEachTool(body, (tool) => {
    const used = limitedOfMessages(tool);
    return used?.most === null ? { ...tool, max_uses: usual(used) } : tool;
  });
}

// ---- Gemini ------------------------------------------------------------------------------------------------------

/** What runs at the caller's. */
export const CALLERS_OF_GEMINI: ReadonlySet<string> = new Set(['functionDeclarations', 'computerUse']);

/** What an answer leans on is paid for wherever Google found it; these find nothing. */
export const FINDS_NOTHING: ReadonlySet<string> = new Set([
  ...CALLERS_OF_GEMINI,
  'codeExecution',
  'urlContext',
]);

const GOOGLES = 'googleSearch';

/** Google bills models up to 2.5 by the prompt, however much was found for it, and later ones by the search (its price list). */
const BILLED_BY_PROMPT = /^gemini-[12]-/;

function grounding(names: readonly string[], model: string): PaidTool {
  // No field says how often, and only the end of an answer tells.
  const found: PaidTool = { as: ['google_search'], most: null, toldLate: true };
  if (!BILLED_BY_PROMPT.test(plainName(model))) return found;
  const as = names.every((name) => name === 'googleMaps') ? 'google_maps_prompt' : 'google_search_prompt';
  return { ...found, as: [as], told: found.as, most: 1, once: true };
}

/** Whether it is known to be one of the later ones. */
function isBySearch(names: Names): boolean {
  const model = sureOf(names).map(plainName).find(isGemini);
  return model !== undefined && !BILLED_BY_PROMPT.test(model);
}

export function geminiTools(body: JsonObject, called: Names): PaidTools {
  const [model = ''] = called;
  const { cachedContent } = camelFields(body);
  const names = toolsOf(body).flatMap(geminiNames);
  // A prompt that the service keeps may bring tools along.
  const finding = names.filter((name) => !FINDS_NOTHING.has(name));
  if (!isAbsent(cachedContent)) finding.push('cachedContent');
  return found(
    finding.length > 0 ? [grounding(finding, model)] : [],
    geminiReads(body, names, isBySearch(called)),
  );
}

// ---- Realtime ----------------------------------------------------------------------------------------------------

/** Of the settings of a session or of one answer, which name tools as Responses does. */
export const realtimeTools = ({ tools = null }: JsonObject): PaidTools => responsesTools({ tools }, []);
