/** Tools and tool choice of the Responses wire. Its functions are flat, and strict unless they say otherwise. */
import { callersSet } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { compact, FieldTaker, objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import type { ChatRequest, RawTool, Tool, ToolChoice, WebSearchTool } from '../neutral.ts';
import { asOpenAiTakes } from '../openai-chat/schema.ts';
import { wantsFunctionCall } from '../openai-chat/write-parts.ts';
import { shortName } from '../short-names.ts';
import { kindOf } from '../tool-words.ts';

// ---- Reading -----------------------------------------------------------------------------------------------------

/** The tools of a list, and those that its namespaces hold. */
export const readTools = (raw: unknown): Tool[] =>
  objectsOf(raw).flatMap((tool): Tool[] =>
    tool.type === 'namespace'
      ? [{ ...rawTool(tool), isOpened: true }, ...heldTools([tool])]
      : [readTool(tool)],
  );

/** Those that an item or a namespace holds. */
export function heldTools(raw: unknown, namespace?: string): Tool[] {
  const within = nameWithin(namespace);
  return objectsOf(raw).flatMap((given): Tool[] => {
    if (given.type === 'namespace') return heldTools(given.tools, textOf(given.name));
    const tool = readTool(given);
    if (namespace === undefined || !('name' in tool)) return [{ ...tool, holder: {} }];
    const { name } = tool;
    return [{ ...tool, name: within(name), holder: { called: { name, namespace } } }];
  });
}

/** What a tool of no namespace is in for the model, and so may be told to be in. */
const OF_ALL = 'functions';
/** A longer name is told by its digest, so that it is not as long again with each of its tools. */
const NAMESPACE_CHARS = 64;

/** The one name of a tool for whoever knows no namespaces, as agents name the tools of their servers. */
export function nameWithin(namespace: string | undefined): (name: string) => string {
  if (namespace === undefined || namespace === OF_ALL) return asIs;
  // A long one is read once, however many tools it has.
  const told = shortName(namespace, NAMESPACE_CHARS);
  return (name) => `${told}__${name}`;
}

const asIs = (name: string): string => name;

const rawTool = (value: JsonObject): RawTool => ({ type: 'raw', dialect: 'openai-responses', value });

function readTool(tool: JsonObject): Tool {
  const type = textOf(tool.type) ?? '';
  if (type === 'function') return readFunction(tool);
  if (type === 'custom') return readCustom(tool);
  if (kindOf(tool) === 'web_search') return readWebSearch(tool);
  return rawTool(tool);
}

function readFunction(tool: JsonObject): Tool {
  const fields = new FieldTaker(tool);
  fields.text('type');
  return compact({
    type: 'function',
    name: fields.text('name') ?? '',
    description: fields.text('description'),
    parameters: fields.object('parameters'),
    strict: fields.flag('strict'),
    extra: fields.rest,
  });
}

function readCustom(tool: JsonObject): Tool {
  const fields = new FieldTaker(tool);
  fields.text('type');
  return compact({
    type: 'custom',
    name: fields.text('name') ?? '',
    description: fields.text('description'),
    format: fields.object('format'),
    extra: fields.rest,
  });
}

const SIZES = ['low', 'medium', 'high'] as const;

function readWebSearch(tool: JsonObject): WebSearchTool {
  const domains = objectOf(tool.filters)?.allowed_domains;
  return compact({
    type: 'web-search',
    contextSize: oneOf(tool.search_context_size, SIZES),
    allowedDomains: Array.isArray(domains)
      ? domains.filter((domain) => typeof domain === 'string')
      : undefined,
    userLocation: objectOf(tool.user_location),
    raw: { dialect: 'openai-responses', value: tool },
  });
}

/** Undefined for a choice that only this dialect knows, which then stays among the request's own fields. */
export function readToolChoice(value: unknown): ToolChoice | undefined {
  const mode = oneOf(value, ['auto', 'none', 'required']);
  if (mode) return { mode };
  const choice = objectOf(value);
  if (choice?.namespace !== undefined) return undefined;
  const name = textOf(choice?.name);
  if (choice?.type === 'function' || choice?.type === 'custom') {
    return name === undefined ? undefined : { mode: 'named', name, kind: choice.type };
  }
  if (choice?.type !== 'allowed_tools') return undefined;
  const names = objectsOf(choice.tools).map((tool) => textOf(tool.name));
  if (names.includes(undefined)) return undefined;
  return {
    mode: 'allowed',
    names: names.filter((item) => item !== undefined),
    required: choice.mode === 'required',
  };
}

// ---- Writing -----------------------------------------------------------------------------------------------------

export function writeTools(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'openai-responses';
  const tools = request.tools.flatMap((tool) => (own && tool.holder ? [] : writeTool(tool, own, target)));
  if (tools.length === 0 && !own) return {};
  return compact({
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: writeToolChoice(request),
    // Who speaks of functions is told of one call.
    parallel_tool_calls: wantsFunctionCall(request) ? false : request.parallelToolCalls,
  });
}

function writeTool(tool: Tool, own: boolean, target: RequestTarget): JsonObject[] {
  switch (tool.type) {
    case 'function': {
      const { name, description, parameters, strict, extra } = tool;
      const said: JsonObject = { type: 'function', name, description, parameters, strict };
      if (own) return [compact({ ...said, ...extra })];
      const taken = asOpenAiTakes(tool);
      // Elsewhere a function is strict only when it says so, and may take nothing.
      return [compact({ ...said, ...taken, strict: taken.strict ?? false })];
    }
    case 'custom': {
      const { name, description, format, extra } = tool;
      return [compact({ type: 'custom', name, description, format, ...(own && extra) })];
    }
    case 'web-search':
      return [writeWebSearch(tool, own, target)];
    case 'raw':
      if (tool.dialect === 'openai-responses') return [tool.value];
      target.drop(textOf(tool.value.type) ?? 'server tool');
      return [];
  }
}

function writeWebSearch(tool: WebSearchTool, own: boolean, target: RequestTarget): JsonObject {
  if (own) return tool.raw.value;
  if (tool.maxUses !== undefined) target.drop('max_uses');
  if (tool.blockedDomains) target.drop('blocked_domains');
  return compact({
    type: 'web_search',
    search_context_size: tool.contextSize,
    user_location: tool.userLocation,
    filters: tool.allowedDomains && { allowed_domains: tool.allowedDomains },
  });
}

function writeToolChoice(request: ChatRequest): string | JsonObject | undefined {
  const choice = request.toolChoice;
  const customs = callersSet(request.tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])));
  const isSearch = (name: string) =>
    request.tools.some((tool) => tool.type === 'web-search' && tool.raw.value.name === name);
  const named = (name: string): JsonObject =>
    isSearch(name) ? { type: 'web_search' } : { type: customs.has(name) ? 'custom' : 'function', name };
  switch (choice?.mode) {
    case 'named':
      return named(choice.name);
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.required ? 'required' : 'auto',
        tools: choice.names.map(named),
      };
    default:
      return choice?.mode;
  }
}
