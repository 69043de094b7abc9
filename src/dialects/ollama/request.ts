/** Requests of Ollama's /api/chat from and into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { customToolSchema } from '../custom-tools.ts';
import type { PathFacts } from '../dialect.ts';
import { compact, FieldTaker, hasFields, objectOf, objectsOf, oneOf } from '../fields.ts';
import { reportLost, type Setting } from '../lost-settings.ts';
import type { ChatRequest, FunctionTool, Reasoning, ResponseFormat, Tool } from '../neutral.ts';
import { readMessages, writeMessages } from './messages.ts';

export function readRequest(body: JsonObject, path: PathFacts): ChatRequest {
  const fields = new FieldTaker(body);
  const model = fields.text('model');
  const options = new FieldTaker(fields.object('options') ?? {});
  const settings: Partial<ChatRequest> = compact({
    maxOutputTokens: options.take('num_predict', (value) =>
      typeof value === 'number' && value > 0 ? value : undefined,
    ),
    temperature: options.number('temperature'),
    topP: options.number('top_p'),
    topK: options.number('top_k'),
    minP: options.number('min_p'),
    seed: options.number('seed'),
    repetitionPenalty: options.number('repeat_penalty'),
    frequencyPenalty: options.number('frequency_penalty'),
    presencePenalty: options.number('presence_penalty'),
    stop: options.take('stop', (value) =>
      Array.isArray(value) ? value.filter((stop) => typeof stop === 'string') : undefined,
    ),
  });
  return compact<ChatRequest>({
    dialect: 'ollama',
    model: path.model ?? model ?? '',
    // This wire streams unless it is told not to.
    stream: fields.flag('stream') ?? true,
    messages: readMessages(fields.list('messages')),
    tools: objectsOf(fields.list('tools')).map(readTool),
    responseFormat: fields.take('format', readFormat),
    reasoning: fields.take('think', readThinking),
    logprobs: fields.flag('logprobs'),
    topLogprobs: fields.number('top_logprobs'),
    ...settings,
    extra: compact({ ...fields.rest, options: options.rest }),
  });
}

function readTool(given: JsonObject): Tool {
  const said = objectOf(given.function);
  if (!said) return { type: 'raw', dialect: 'ollama', value: given };
  const fields = new FieldTaker(said);
  return compact({
    type: 'function',
    name: fields.text('name') ?? '',
    description: fields.text('description'),
    parameters: fields.object('parameters'),
    extra: fields.rest,
  });
}

function readFormat(value: unknown): ResponseFormat | undefined {
  if (value === 'json') return { type: 'json' };
  const schema = objectOf(value);
  return schema && { type: 'schema', name: 'response', schema };
}

function readThinking(value: unknown): Reasoning | undefined {
  if (typeof value === 'boolean') return { mode: value ? 'on' : 'off' };
  const effort = oneOf(value, ['low', 'medium', 'high']);
  return effort && { effort };
}

const SETTINGS: ReadonlySet<Setting> = new Set([
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'minP',
  'seed',
  'repetitionPenalty',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'logprobs',
  'topLogprobs',
  'user',
  'promptCacheKey',
]);

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'ollama';
  if (!own) reportLost(request, SETTINGS, target);
  const tools = request.toolChoice?.mode === 'none' ? [] : writeTools(request, target);
  if (request.toolChoice && request.toolChoice.mode !== 'auto' && request.toolChoice.mode !== 'none') {
    target.lost('tool_choice');
  }
  const options = compact<JsonObject>({
    num_predict: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    min_p: request.minP,
    seed: request.seed,
    repeat_penalty: request.repetitionPenalty,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stop: request.stop,
    ...(own && objectOf(request.extra.options)),
  });
  return compact<JsonObject>({
    ...(own && request.extra),
    model: target.model,
    messages: writeMessages(request, target),
    stream: target.stream,
    tools: tools.length > 0 ? tools : undefined,
    format: writeFormat(request.responseFormat),
    think: writeThinking(request.reasoning, own, target),
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    options: hasFields(options) ? options : undefined,
  });
}

function writeTools(request: ChatRequest, target: RequestTarget): JsonObject[] {
  return request.tools.flatMap((tool): JsonObject[] => {
    if (tool.type === 'function') return [writeFunction(tool, request.dialect === 'ollama')];
    if (tool.type === 'custom') {
      const { name, description } = tool;
      return [{ type: 'function', function: compact({ name, description, parameters: customToolSchema }) }];
    }
    if (tool.type === 'raw' && tool.dialect === 'ollama') return [tool.value];
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

const writeFormat = (format: ResponseFormat | undefined): JsonObject | string | undefined => {
  if (!format || format.type === 'text') return undefined;
  return format.type === 'json' ? 'json' : format.schema;
};

const LEVELS = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const;

/** Only some models know levels; the others think or do not. */
function writeThinking(
  reasoning: Reasoning | undefined,
  own: boolean,
  { model }: RequestTarget,
): boolean | string | undefined {
  const { mode, effort, budgetTokens } = reasoning ?? {};
  if (mode === 'off' || effort === 'none') return false;
  if (effort !== undefined) return own || model.includes('gpt-oss') ? LEVELS[effort] : true;
  return mode !== undefined || budgetTokens !== undefined ? true : undefined;
}
