/** Requests of Cohere's v2 chat from and into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { customToolSchema } from '../custom-tools.ts';
import type { PathFacts } from '../dialect.ts';
import { compact, FieldTaker, numberOf, objectOf, objectsOf } from '../fields.ts';
import { reportLost, type Setting } from '../lost-settings.ts';
import type { ChatRequest, FunctionTool, Reasoning, ResponseFormat, Tool, ToolChoice } from '../neutral.ts';
import { readMessages, writeMessages } from './messages.ts';

export function readRequest(body: JsonObject, path: PathFacts): ChatRequest {
  const fields = new FieldTaker(body);
  const model = fields.text('model');
  return compact<ChatRequest>({
    dialect: 'cohere',
    model: path.model ?? model ?? '',
    stream: fields.flag('stream') ?? false,
    messages: readMessages(fields.list('messages')),
    tools: objectsOf(fields.list('tools')).map(readTool),
    toolChoice: fields.take('tool_choice', readToolChoice),
    responseFormat: fields.take('response_format', readFormat),
    reasoning: fields.take('thinking', readThinking),
    maxOutputTokens: fields.number('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('p'),
    topK: fields.number('k'),
    seed: fields.number('seed'),
    frequencyPenalty: fields.number('frequency_penalty'),
    presencePenalty: fields.number('presence_penalty'),
    stop: fields.take('stop_sequences', (value) =>
      Array.isArray(value) ? value.filter((stop) => typeof stop === 'string') : undefined,
    ),
    logprobs: fields.flag('logprobs'),
    extra: fields.rest ?? {},
  });
}

function readTool(given: JsonObject): Tool {
  const said = objectOf(given.function);
  if (!said) return { type: 'raw', dialect: 'cohere', value: given };
  const fields = new FieldTaker(said);
  return compact({
    type: 'function',
    name: fields.text('name') ?? '',
    description: fields.text('description'),
    parameters: fields.object('parameters'),
    extra: fields.rest,
  });
}

function readToolChoice(value: unknown): ToolChoice | undefined {
  if (value === 'REQUIRED') return { mode: 'required' };
  return value === 'NONE' ? { mode: 'none' } : undefined;
}

function readFormat(value: unknown): ResponseFormat | undefined {
  const format = objectOf(value);
  if (format?.type !== 'json_object') return format?.type === 'text' ? { type: 'text' } : undefined;
  const schema = objectOf(format.json_schema) ?? objectOf(format.schema);
  return schema ? { type: 'schema', name: 'response', schema } : { type: 'json' };
}

function readThinking(value: unknown): Reasoning | undefined {
  const thinking = objectOf(value);
  const mode = thinking?.type === 'enabled' ? 'on' : thinking?.type === 'disabled' ? 'off' : undefined;
  return mode && compact<Reasoning>({ mode, budgetTokens: numberOf(thinking?.token_budget) });
}

const SETTINGS: ReadonlySet<Setting> = new Set([
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'seed',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'logprobs',
  'user',
  'promptCacheKey',
]);

/** The service takes no more stop sequences than this. */
const STOPS_MAX = 5;

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'cohere';
  if (!own) reportLost(request, SETTINGS, target);
  if ((request.stop?.length ?? 0) > STOPS_MAX) target.lost('stop beyond five');
  const tools = writeTools(request, target);
  return compact<JsonObject>({
    model: target.model,
    messages: writeMessages(request, target),
    stream: target.stream,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: own || tools.length > 0 ? writeToolChoice(request.toolChoice) : undefined,
    response_format: writeFormat(request.responseFormat),
    thinking: writeThinking(request.reasoning),
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    p: request.topP,
    k: request.topK,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stop_sequences: request.stop && request.stop.length > 0 ? request.stop.slice(0, STOPS_MAX) : undefined,
    logprobs: request.logprobs,
    ...(own && request.extra),
  });
}

/** A choice among some is made by showing only these. */
function writeTools(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const { toolChoice: choice } = request;
  const names =
    choice?.mode === 'allowed' ? choice.names : choice?.mode === 'named' ? [choice.name] : undefined;
  const shown = names && new Set(names);
  return request.tools.flatMap((tool): JsonObject[] => {
    if (shown && 'name' in tool && !shown.has(tool.name)) return [];
    if (tool.type === 'function') return [writeFunction(tool, request.dialect === 'cohere')];
    if (tool.type === 'custom') {
      const { name, description } = tool;
      return [{ type: 'function', function: compact({ name, description, parameters: customToolSchema }) }];
    }
    if (tool.type === 'raw' && tool.dialect === 'cohere') return [tool.value];
    target.lost('server tool');
    return [];
  });
}

const writeFunction = (tool: FunctionTool, own: boolean): JsonObject => ({
  type: 'function',
  function: compact({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters ?? (own ? undefined : { type: 'object', properties: {} }),
    ...(own && tool.extra),
  }),
});

function writeToolChoice(choice: ToolChoice | undefined): string | undefined {
  switch (choice?.mode) {
    case 'required':
    case 'named':
      return 'REQUIRED';
    case 'none':
      return 'NONE';
    case 'allowed':
      return choice.required ? 'REQUIRED' : undefined;
    default:
      return undefined;
  }
}

function writeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (!format) return undefined;
  if (format.type === 'text') return { type: 'text' };
  return compact({ type: 'json_object', json_schema: format.type === 'schema' ? format.schema : undefined });
}

/** Share of the thinking that an effort stands for. */
const BUDGETS = {
  minimal: 512,
  low: 1024,
  medium: 4096,
  high: undefined,
  xhigh: undefined,
  max: undefined,
} as const;

function writeThinking(reasoning: Reasoning | undefined): JsonObject | undefined {
  const { mode, effort, budgetTokens } = reasoning ?? {};
  if (mode === 'off' || effort === 'none') return { type: 'disabled' };
  if (mode === undefined && effort === undefined && budgetTokens === undefined) return undefined;
  return compact({ type: 'enabled', token_budget: budgetTokens ?? (effort && BUDGETS[effort]) });
}
