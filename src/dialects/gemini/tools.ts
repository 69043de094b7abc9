/** Tools and tool choice. Functions stand together in one object; each of the service's own tools in one of its own. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget, ToolNames } from '../codec.ts';
import { customToolSchema } from '../custom-tools.ts';
import { compact, FieldTaker, hasFields, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatRequest, CustomTool, FunctionTool, Tool, ToolChoice } from '../neutral.ts';
import { traitsOf } from './models.ts';
import { camelFields } from './names.ts';
import { type CleanSchemas, plainSchema } from './schema.ts';

export const GEMINI_TOOL_NAMES: ToolNames = { most: 64, letters: /^[a-z_][\w.:-]*$/i };

const SEARCH = new Set(['googleSearch', 'googleSearchRetrieval']);

export const readTools = (given: unknown): Tool[] =>
  objectsOf(Array.isArray(given) ? given : [given]).flatMap((entry) =>
    Object.entries(camelFields(entry)).flatMap(([name, value]): Tool[] => {
      if (name === 'functionDeclarations') return objectsOf(value).map(readFunction);
      const raw = { dialect: 'gemini' as const, value: { [name]: value } };
      return SEARCH.has(name) ? [{ type: 'web-search', raw }] : [{ type: 'raw', ...raw }];
    }),
  );

/** The schema comes in either of two forms and goes back as it came. */
function readFunction(given: JsonObject): FunctionTool {
  const fields = new FieldTaker(camelFields(given));
  const name = fields.text('name') ?? '';
  const description = fields.text('description');
  const own = objectOf(given.parameters);
  const plain = objectOf(camelFields(given).parametersJsonSchema);
  return compact({
    type: 'function',
    name,
    description,
    parameters: plain ?? (own && plainSchema(own)),
    extra: fields.rest,
  });
}

export function readToolChoice(given: unknown): ToolChoice | undefined {
  const config = objectOf(camelFields(objectOf(given) ?? {}).functionCallingConfig);
  if (!config) return undefined;
  const { mode, allowedFunctionNames } = camelFields(config);
  const names = Array.isArray(allowedFunctionNames)
    ? allowedFunctionNames.filter((name) => typeof name === 'string')
    : [];
  const [only] = names;
  switch (textOf(mode)?.toUpperCase()) {
    case 'NONE':
      return { mode: 'none' };
    case 'ANY':
      if (only === undefined) return { mode: 'required' };
      return names.length === 1
        ? { mode: 'named', name: only, kind: 'function' }
        : { mode: 'allowed', names, required: true };
    case 'AUTO':
    case 'VALIDATED':
      return names.length > 0 ? { mode: 'allowed', names, required: false } : { mode: 'auto' };
    default:
      return undefined;
  }
}

/** Functions by these names ask for the service's own tools, for callers whose dialect has no word for them. */
const BUILT_IN = new Set(['googleSearch', 'codeExecution', 'urlContext']);

export function writeTools(request: ChatRequest, target: RequestTarget, schemas: CleanSchemas): JsonObject[] {
  const own = request.dialect === 'gemini';
  const functions: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const tool of request.tools) {
    if (tool.type === 'function' && !own && BUILT_IN.has(tool.name)) others.push({ [tool.name]: {} });
    else if (tool.type === 'function') functions.push(writeFunction(tool, own, schemas));
    else if (tool.type === 'custom') functions.push(writeCustom(tool, schemas));
    else if (tool.type === 'web-search') {
      others.push(tool.raw.dialect === 'gemini' ? tool.raw.value : { googleSearch: {} });
    } else if (tool.dialect === 'gemini') others.push(tool.value);
    else target.drop('server tool');
  }
  if (functions.length === 0) return others;
  if (others.length > 0 && !own && !traitsOf(target.model).levels) {
    // Older models refuse the service's own tools beside functions.
    for (const other of others) target.drop(Object.keys(other)[0] ?? 'server tool');
    return [{ functionDeclarations: functions }];
  }
  return [{ functionDeclarations: functions }, ...others];
}

function writeFunction(tool: FunctionTool, own: boolean, schemas: CleanSchemas): JsonObject {
  const { name, description } = tool;
  if (own) return compact({ name, description, ...tool.extra });
  return compact({
    name,
    description: description ?? '',
    parameters: schemas.parameters(tool.parameters),
  });
}

const writeCustom = ({ name, description = '' }: CustomTool, schemas: CleanSchemas): JsonObject =>
  compact({ name, description, parameters: schemas.parameters(customToolSchema) });

/**
 * The service's own tools beside functions have to be asked for by a word of their own, and then there is no mode AUTO, which
 * is meant where none is said (ai.google.dev, Tool combination).
 */
export function writeToolChoice(
  { toolChoice, dialect }: ChatRequest,
  tools: readonly JsonObject[],
): JsonObject | undefined {
  const functions = tools.filter((tool) => tool.functionDeclarations);
  if (functions.length === 0) return undefined;
  const isCombined = dialect !== 'gemini' && functions.length < tools.length;
  const mode = isCombined && toolChoice?.mode === 'auto' ? undefined : writeMode(toolChoice);
  const config = compact<JsonObject>({
    functionCallingConfig: mode,
    includeServerSideToolInvocations: isCombined || undefined,
  });
  return hasFields(config) ? config : undefined;
}

function writeMode(choice: ToolChoice | undefined): JsonObject | undefined {
  switch (choice?.mode) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'named':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      // Names go only with a mode that holds the model to them.
      return { mode: choice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names };
    default:
      return undefined;
  }
}
