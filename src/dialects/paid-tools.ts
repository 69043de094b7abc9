/**
 * Which paid tools of its upstream a request may set off, as each wire says it: a fact of every request, by which quota
 * is held for them before it goes up. What `tool-uses.ts` can count in an answer must be found here in the request.
 */
import type { JsonObject } from '../core/json.ts';
import { NO_TOOLS, type PaidTool, type PaidTools } from '../core/paid-tools.ts';
import { isAbsent } from './bounds.ts';
import { objectOf, objectsOf, textOf } from './fields.ts';
import { camelFields } from './gemini/names.ts';

/** How often a tool may be used, where a request says it in whole numbers; what is no such number says nothing. */
const usesIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

const search = (most: number | null = null): PaidTool => ({ as: ['web_search'], most });

/** Nobody knows how long a model looks that is made to find things out. */
const RESEARCHES = /research/i;
const research: PaidTool = { as: ['web_search'], most: null, usual: 'deep_research' };

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
  return found([
    searchOfChat(body, model),
    sourcesIn(body),
    ...objectsOf(body.tools).map((tool) => (isCallers(tool) ? null : search(usesIn(tool.max_uses)))),
  ]);
}

function searchOfChat(body: JsonObject, model: string): PaidTool | null {
  if (RESEARCHES.test(model)) return research;
  if (SEARCHES_FREELY.test(model)) return search();
  const asks = !isAbsent(body.web_search_options) || objectsOf(body.plugins).some(({ id }) => id === 'web');
  return asks || SEARCHES_ONCE.test(model) ? search(1) : null;
}

/** Tools that the caller runs himself; some clients forget the type. */
const isCallers = ({ type }: JsonObject): boolean =>
  type === undefined || type === 'function' || type === 'custom';

/** xAI's search on its chat wire, which is paid by the source; its own default of them. */
const SOURCES = 20;

function sourcesIn({ search_parameters: given }: JsonObject): PaidTool | null {
  if (isAbsent(given)) return null;
  const { mode, max_search_results: most } = objectOf(given) ?? {};
  return mode === 'off' ? null : { as: ['search_source'], most: usesIn(most) ?? SOURCES };
}

// ---- Responses ---------------------------------------------------------------------------------------------------

const PICTURES = ['image_generation_low', 'image_generation_medium', 'image_generation_high'] as const;

/** A picture of a quality that the request leaves open may be of the dearest. */
function pictures({ quality }: JsonObject): PaidTool {
  const asked = PICTURES.find((name) => name === `image_generation_${textOf(quality)}`);
  return { as: asked ? [asked] : PICTURES, told: PICTURES, most: null, usual: 'image_generation' };
}

const OF_RESPONSES: Readonly<Record<string, (tool: JsonObject) => PaidTool>> = {
  web_search: () => search(),
  file_search: () => ({ as: ['file_search'], most: null }),
  code_interpreter: () => ({ as: ['code_interpreter'], most: null }),
  image_generation: pictures,
};

/** Names of search end in the date of their version. */
const kindOf = ({ type }: JsonObject): string =>
  textOf(type)?.startsWith('web_search') ? 'web_search' : (textOf(type) ?? '');

export function responsesTools(body: JsonObject, model: string): PaidTools {
  // A prompt that the service keeps may bring any tool along.
  const given = isAbsent(body.prompt)
    ? objectsOf(body.tools)
    : [...objectsOf(body.tools), ...Object.keys(OF_RESPONSES).map((type) => ({ type }))];
  const tools = given.map((tool) => {
    const paid = OF_RESPONSES[kindOf(tool)]?.(tool) ?? null;
    return paid && RESEARCHES.test(model) ? { usual: research.usual, ...paid } : paid;
  });
  return found([...tools, sourcesIn(body)], usesIn(body.max_tool_calls));
}

// ---- Messages ----------------------------------------------------------------------------------------------------

export const messagesTools = ({ tools }: JsonObject): PaidTools =>
  found(
    objectsOf(tools).map((tool) => (kindOf(tool) === 'web_search' ? search(usesIn(tool.max_uses)) : null)),
  );

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
  return found(finds ? [{ as: ['google_search'], most: null }] : []);
}

// ---- Realtime ----------------------------------------------------------------------------------------------------

/** Of the settings of a session or of one answer, which name tools as Responses does. */
export const realtimeTools = ({ tools = null }: JsonObject): PaidTools => responsesTools({ tools }, '');
