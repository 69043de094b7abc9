/** Tools and tool choice of the chat wire, with the deprecated `functions`, and web search, which is a field here. */
import { callersSet } from '../../core/callers-keys.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { isAbsent } from '../bounds.ts';
import type { RequestTarget, ToolNames } from '../codec.ts';
import { customToolSchema } from '../custom-tools.ts';
import { compact, FieldTaker, fieldsBut, hasFields, objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import type { ChatRequest, FunctionTool, Tool, ToolChoice, WebSearchTool } from '../neutral.ts';
import { readCache } from './read-parts.ts';
import { asOpenAiTakes } from './schema.ts';

/** On both of OpenAI's wires, and on those of most who copied them. */
export const OPENAI_TOOL_NAMES: ToolNames = { most: 64, letters: /^[\w-]+$/ };

// ---- Reading -----------------------------------------------------------------------------------------------------

export function readTools(body: JsonObject): Tool[] {
  const tools = objectsOf(body.tools).map(readTool);
  const functions = objectsOf(body.functions).map((said) => ({
    ...readFunction({ type: 'function', function: said }),
    extra: { functions: true },
  }));
  const search = objectOf(body.web_search_options);
  return [...tools, ...functions, ...(search ? [readWebSearch(search)] : [])];
}

function readTool(tool: JsonObject): Tool {
  if (tool.type === 'custom' && objectOf(tool.custom)) return readCustom(tool);
  // Some clients forget the type.
  if (objectOf(tool.function) && (tool.type === 'function' || isAbsent(tool.type))) return readFunction(tool);
  return { type: 'raw', dialect: 'openai-chat', value: tool };
}

function readFunction(tool: JsonObject): FunctionTool {
  const fields = new FieldTaker(tool);
  fields.text('type');
  const said = new FieldTaker(fields.object('function') ?? {});
  const name = said.text('name') ?? '';
  const description = said.text('description');
  const parameters = said.object('parameters');
  const strict = said.flag('strict');
  const cache = fields.take('cache_control', readCache);
  const extra = compact({ ...fields.rest, function: said.rest });
  return compact<FunctionTool>({
    type: 'function',
    name,
    description,
    parameters,
    strict,
    cache,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

function readCustom(tool: JsonObject): Tool {
  const fields = new FieldTaker(tool);
  fields.text('type');
  const said = new FieldTaker(fields.object('custom') ?? {});
  const name = said.text('name') ?? '';
  const description = said.text('description');
  const format = said.take('format', readGrammar);
  const extra = compact({ ...fields.rest, custom: said.rest });
  return compact({
    type: 'custom',
    name,
    description,
    format,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

/** A grammar stands flat on the Responses wire and in the neutral form, and in an object of its own here. */
function readGrammar(value: unknown): JsonObject | undefined {
  const { grammar, ...format } = objectOf(value) ?? {};
  return objectOf(value) && { ...format, ...objectOf(grammar) };
}

const writeGrammar = ({ type, ...grammar }: JsonObject): JsonObject =>
  type === 'grammar' ? { type, grammar } : { ...grammar, ...(type !== undefined && { type }) };

const SIZES = ['low', 'medium', 'high'] as const;

function readWebSearch(options: JsonObject): WebSearchTool {
  const location = objectOf(options.user_location);
  return compact({
    type: 'web-search',
    contextSize: oneOf(options.search_context_size, SIZES),
    userLocation: location && { type: 'approximate', ...objectOf(location.approximate) },
    raw: { dialect: 'openai-chat', value: options },
  });
}

/** Undefined for a choice that only this dialect knows, which then stays among the request's own fields. */
export function readToolChoice(value: unknown): ToolChoice | undefined {
  const mode = oneOf(value, ['auto', 'none', 'required']);
  if (mode) return { mode };
  // Mistral's word for required.
  if (value === 'any') return { mode: 'required' };
  const choice = objectOf(value);
  const name = textOf(objectOf(choice?.function)?.name) ?? textOf(objectOf(choice?.custom)?.name);
  if (choice?.type === 'function' || choice?.type === 'custom') {
    return name === undefined ? undefined : { mode: 'named', name, kind: choice.type };
  }
  const allowed = objectOf(choice?.allowed_tools);
  if (!allowed) return undefined;
  const names = objectsOf(allowed.tools).map(
    (tool) => textOf(objectOf(tool.function)?.name) ?? textOf(objectOf(tool.custom)?.name),
  );
  if (names.includes(undefined)) return undefined;
  return {
    mode: 'allowed',
    names: names.filter((item) => item !== undefined),
    required: allowed.mode === 'required',
  };
}

/** The deprecated `function_call` of a request. */
export function readFunctionCall(value: unknown): ToolChoice | undefined {
  const mode = oneOf(value, ['auto', 'none']);
  if (mode) return { mode };
  const name = textOf(objectOf(value)?.name);
  return name === undefined ? undefined : { mode: 'named', name, kind: 'function' };
}

// ---- In the words of other wires ---------------------------------------------------------------------------------

/** The body with tools and a choice that stand flat, as Responses and Messages have them, in the objects of this wire. */
export function withOwnTools(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice } = body;
  const put: JsonObject = {};
  if (Array.isArray(tools) && tools.some((tool) => ownTool(tool) !== tool)) put.tools = tools.map(ownTool);
  const chosen = ownChoice(choice);
  if (chosen !== choice) put.tool_choice = chosen;
  return hasFields(put) ? { ...body, ...put } : body;
}

const OF_TOOLS = new Set([
  ...['type', 'function', 'custom'],
  ...['name', 'description', 'parameters', 'input_schema', 'strict', 'format'],
]);

/** What is no function or custom tool of the caller's stays as it came: what runs at a vendor is told by its type. */
function ownTool(tool: Json): Json {
  const said = objectOf(tool) ?? {};
  const { type, name, description, format, strict, input_schema: schema } = said;
  if (typeof name !== 'string' || objectOf(said.function) || objectOf(said.custom)) return tool;
  const beside = fieldsBut(said, OF_TOOLS);
  const parameters = objectOf(schema) ?? said.parameters;
  // On Messages a tool with a schema may be called custom, and need not say what it is.
  const isFunction = type === 'function' || ((isAbsent(type) || type === 'custom') && objectOf(schema));
  if (isFunction || (isAbsent(type) && objectOf(parameters))) {
    return { ...beside, type: 'function', function: compact({ name, description, parameters, strict }) };
  }
  if (type !== 'custom') return tool;
  const grammar = readGrammar(format);
  return {
    ...beside,
    type,
    custom: compact({ name, description, format: grammar ? writeGrammar(grammar) : format }),
  };
}

const WORDS_OF_CHOICE: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', any: 'required' };

/** One that says more than this wire has words for stays as it came. */
function ownChoice(choice: Json | undefined): Json | undefined {
  const { type, name, ...more } = objectOf(choice) ?? {};
  if (typeof type !== 'string' || hasFields(more)) return choice;
  if (typeof name !== 'string') return own(WORDS_OF_CHOICE, type) ?? choice;
  if (type === 'tool') return { type: 'function', function: { name } };
  return type === 'function' || type === 'custom' ? { type, [type]: { name } } : choice;
}

// ---- Writing -----------------------------------------------------------------------------------------------------

/** The tools and what is chosen of them, for an upstream of this dialect. */
export function writeTools(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'openai-chat';
  const search = request.tools.find((tool) => tool.type === 'web-search');
  const tools = offered(request, own).flatMap((tool) => writeTool(tool, own, target));
  const written: JsonObject = {
    ...(search && writeWebSearch(search, own, target)),
    ...(tools.length > 0 && { tools }),
  };
  // Upstreams refuse a choice, or a word about parallel calls, where there is no tool.
  if (tools.length === 0 && !own) return written;
  const choice = own && 'function_call' in request.extra ? undefined : writeToolChoice(request, own, target);
  return {
    ...written,
    ...(choice !== undefined && { tool_choice: choice }),
    ...(request.parallelToolCalls !== undefined && { parallel_tool_calls: request.parallelToolCalls }),
  };
}

/** A choice among some tools is understood by few upstreams: others are offered no more than those. */
function offered({ tools, toolChoice }: ChatRequest, own: boolean): Tool[] {
  if (own || toolChoice?.mode !== 'allowed') return tools;
  const names = callersSet(toolChoice.names);
  return tools.filter((tool) => !('name' in tool) || names.has(tool.name));
}

function writeTool(tool: Tool, own: boolean, target: RequestTarget): JsonObject[] {
  switch (tool.type) {
    case 'function':
      // The deprecated functions stand among the request's own fields and go back as they came.
      return own && tool.extra?.functions ? [] : [writeFunction(tool, own, target)];
    case 'custom': {
      const { name, description } = tool;
      const format = tool.format && writeGrammar(tool.format);
      if (own || target.extensions?.has('custom_tools')) {
        const { custom, ...extra } = (own && tool.extra) || {};
        return [
          { type: 'custom', custom: compact({ name, description, format, ...objectOf(custom) }), ...extra },
        ];
      }
      const said = compact({ name, description, parameters: customToolSchema });
      return [{ type: 'function', function: said }];
    }
    case 'web-search':
      return [];
    case 'raw':
      if (tool.dialect === 'openai-chat') return [tool.value];
      target.drop(textOf(tool.value.type) ?? 'server tool');
      return [];
  }
}

function writeFunction(tool: FunctionTool, own: boolean, target: RequestTarget): JsonObject {
  const { name, description, cache } = tool;
  // What takes nothing need not say so here.
  const { parameters, strict } = own || !tool.parameters ? tool : asOpenAiTakes(tool);
  const { function: said, ...extra } = (own && tool.extra) || {};
  return {
    type: 'function',
    function: compact({ name, description, parameters, strict, ...objectOf(said) }),
    ...(cache && (own || target.extensions?.has('cache_control')) && { cache_control: writeCache(cache) }),
    ...extra,
  };
}

export const writeCache = ({ ttl }: { ttl: '5m' | '1h' }): JsonObject => ({
  type: 'ephemeral',
  ...(ttl === '1h' && { ttl }),
});

function writeWebSearch(tool: WebSearchTool, own: boolean, target: RequestTarget): JsonObject {
  if (own) return { web_search_options: tool.raw.value };
  if (!target.extensions?.has('web_search_options')) {
    target.drop('web_search');
    return {};
  }
  if (tool.maxUses !== undefined) target.drop('max_uses');
  if (tool.allowedDomains || tool.blockedDomains) target.drop('domains');
  const { type: _type, ...approximate } = tool.userLocation ?? {};
  return {
    web_search_options: compact({
      search_context_size: tool.contextSize,
      user_location: tool.userLocation && { type: 'approximate', approximate },
    }),
  };
}

const customNames = (tools: readonly Tool[]): string[] =>
  tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : []));

function writeToolChoice(
  request: ChatRequest,
  own: boolean,
  target: RequestTarget,
): string | JsonObject | undefined {
  const choice = request.toolChoice;
  if (!choice) return undefined;
  const speaksCustom = own || target.extensions?.has('custom_tools');
  const customs = callersSet(speaksCustom ? customNames(request.tools) : []);
  const named = (name: string): JsonObject => {
    return customs.has(name)
      ? { type: 'custom', custom: { name } }
      : { type: 'function', function: { name } };
  };
  switch (choice.mode) {
    case 'named':
      return named(choice.name);
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto';
      return own ? { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } } : mode;
    }
    default:
      return choice.mode;
  }
}
