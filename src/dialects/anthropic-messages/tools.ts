/** Tools and tool choice. Web search is shared with other dialects; the service's other own tools stay raw. */
import { callersSet } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import { isAbsent } from '../bounds.ts';
import type { RequestTarget, ToolNames } from '../codec.ts';
import { customToolSchema } from '../custom-tools.ts';
import { compact, FieldTaker, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatRequest, FunctionTool, Tool, ToolChoice, WebSearchTool } from '../neutral.ts';
import { kindOf } from '../tool-words.ts';
import { traitsOf } from './models.ts';
import { extraOf, joined, readCache } from './read-parts.ts';
import { outputSchema, toolSchema } from './schema.ts';
import { writeCache } from './write-parts.ts';

export const MESSAGES_TOOL_NAMES: ToolNames = { most: 128, letters: /^[\w-]+$/ };

export const readTools = (raw: unknown): Tool[] => objectsOf(raw).map(readTool);

function readTool(tool: JsonObject): Tool {
  const type = textOf(tool.type);
  if (kindOf(tool) === 'web_search') return readWebSearch(tool);
  if (!isAbsent(tool.type) && type !== 'custom') {
    return { type: 'raw', dialect: 'anthropic-messages', value: tool };
  }
  const fields = new FieldTaker(tool);
  return compact({
    type: 'function',
    name: fields.text('name') ?? '',
    description: fields.text('description'),
    parameters: fields.object('input_schema'),
    strict: fields.flag('strict'),
    cache: readCache(tool.cache_control),
    extra: joined(extraOf(fields.rest ?? {}, []), type && { type }),
  });
}

function readWebSearch(tool: JsonObject): WebSearchTool {
  const domains = (list: unknown): string[] | undefined =>
    Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
  return compact({
    type: 'web-search',
    maxUses: numberOf(tool.max_uses),
    allowedDomains: domains(tool.allowed_domains),
    blockedDomains: domains(tool.blocked_domains),
    userLocation: objectOf(tool.user_location),
    raw: { dialect: 'anthropic-messages', value: tool },
  });
}

export function readToolChoice(raw: unknown): Pick<ChatRequest, 'toolChoice' | 'parallelToolCalls'> {
  const choice = objectOf(raw);
  return compact({
    toolChoice: readMode(choice),
    parallelToolCalls:
      typeof choice?.disable_parallel_tool_use === 'boolean' ? !choice.disable_parallel_tool_use : undefined,
  });
}

function readMode(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.type) {
    case 'auto':
    case 'none':
      return { mode: choice.type };
    case 'any':
      return { mode: 'required' };
    case 'tool':
      return { mode: 'named', name: textOf(choice.name) ?? '', kind: 'function' };
    default:
      return undefined;
  }
}

export function writeTools(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const allowed = request.toolChoice?.mode === 'allowed' ? callersSet(request.toolChoice.names) : undefined;
  return request.tools
    .filter((tool) => !allowed || !('name' in tool) || allowed.has(tool.name))
    .map((tool) => writeTool(tool, request, target))
    .filter((tool) => tool !== undefined);
}

function writeTool(tool: Tool, { dialect }: ChatRequest, target: RequestTarget): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunction(tool, dialect === 'anthropic-messages', target);
    case 'custom':
      return compact({
        name: tool.name,
        description: tool.description,
        input_schema: customToolSchema,
      });
    case 'web-search':
      return writeWebSearch(tool);
    case 'raw':
      if (tool.dialect === 'anthropic-messages') return tool.value;
      target.drop('server tool');
      return undefined;
  }
}

function writeFunction(tool: FunctionTool, own: boolean, target: RequestTarget): JsonObject {
  const strict = own || traitsOf(target.model).structured ? tool.strict : undefined;
  const schema = own ? tool.parameters : toolSchema(tool.parameters);
  return compact({
    name: tool.name,
    description: tool.description,
    input_schema: strict && schema && !own ? outputSchema(schema) : schema,
    strict,
    cache_control: tool.cache && writeCache(tool.cache),
    ...(own && tool.extra),
  });
}

const USES = { low: 1, medium: 5, high: 10 } as const;

function writeWebSearch(tool: WebSearchTool): JsonObject {
  if (tool.raw.dialect === 'anthropic-messages') return tool.raw.value;
  return compact({
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: tool.maxUses ?? USES[tool.contextSize ?? 'medium'],
    allowed_domains: tool.allowedDomains,
    blocked_domains: tool.blockedDomains,
    user_location: placeOf(tool.userLocation),
  });
}

/** OpenAI's chat wire puts the place one level deeper. */
const placeOf = (location: JsonObject | undefined): JsonObject | undefined => {
  const inner = objectOf(location?.approximate);
  return inner ? { type: 'approximate', ...inner } : location;
};

export function writeToolChoice(request: ChatRequest): JsonObject | undefined {
  const serial = request.parallelToolCalls === false;
  const mode =
    writeMode(request.toolChoice) ?? (serial || request.parallelToolCalls ? { type: 'auto' } : undefined);
  if (!mode || mode.type === 'none' || request.parallelToolCalls === undefined) return mode;
  // The service assumes parallel calls, so that only a request of its own dialect says so.
  if (!serial && request.dialect !== 'anthropic-messages') return request.toolChoice && mode;
  return { ...mode, disable_parallel_tool_use: serial };
}

function writeMode(choice: ToolChoice | undefined): JsonObject | undefined {
  switch (choice?.mode) {
    case 'auto':
    case 'none':
      return { type: choice.mode };
    case 'required':
      return { type: 'any' };
    case 'named':
      return { type: 'tool', name: choice.name };
    case 'allowed':
      if (!choice.required) return { type: 'auto' };
      return choice.names.length === 1 ? { type: 'tool', name: choice.names[0] } : { type: 'any' };
    default:
      return undefined;
  }
}
