/** Requests of the Messages wire from and into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget, Schemas } from '../codec.ts';
import type { PathFacts } from '../dialect.ts';
import { reportDropped, type Setting } from '../dropped-settings.ts';
import { compact, fieldsBut, flagOf, hasFields, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { jsonInWords } from '../json-words.ts';
import type { ChatRequest, Message, ResponseFormat } from '../neutral.ts';
import { traitsOf } from './models.ts';
import { extraOf, readCache, readContent } from './read-parts.ts';
import { outputSchema } from './schema.ts';
import { readThinking, writeThinking } from './thinking.ts';
import { readToolChoice, readTools, writeToolChoice, writeTools } from './tools.ts';
import { targetOf, writeMessages, writeSystem } from './write-messages.ts';
import { writeCache } from './write-parts.ts';

const KNOWN = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'service_tier',
  'cache_control',
]);

export function readRequest(body: JsonObject, path: PathFacts): ChatRequest {
  const metadata = objectOf(body.metadata);
  const config = objectOf(body.output_config);
  return compact<ChatRequest>({
    dialect: 'anthropic-messages',
    model: path.model ?? textOf(body.model) ?? '',
    stream: flagOf(body.stream) ?? false,
    messages: [...readSystem(body.system), ...objectsOf(body.messages).flatMap(readMessage)],
    ...readSchemas(body),
    ...readToolChoice(body.tool_choice),
    reasoning: readThinking(body),
    maxOutputTokens: numberOf(body.max_tokens),
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    topK: numberOf(body.top_k),
    stop: Array.isArray(body.stop_sequences)
      ? body.stop_sequences.filter((stop) => typeof stop === 'string')
      : undefined,
    user: textOf(metadata?.user_id),
    metadata: metadata && nonEmpty(fieldsBut(metadata, new Set(['user_id']))),
    serviceTier: textOf(body.service_tier),
    cache: readCache(body.cache_control),
    extra: {
      ...fieldsBut(body, KNOWN),
      ...(config && leftOf('output_config', fieldsBut(config, new Set(['effort', 'format'])))),
      ...leftOf('cache_control', objectOf(extraOf(body, [...Object.keys(body)])?.cache_control) ?? {}),
    },
  });
}

const nonEmpty = (fields: JsonObject): JsonObject | undefined => (hasFields(fields) ? fields : undefined);
const leftOf = (name: string, fields: JsonObject): JsonObject =>
  hasFields(fields) ? { [name]: fields } : {};

function readSystem(system: unknown): Message[] {
  const parts = readContent(system);
  return parts.length > 0 ? [{ role: 'system', parts }] : [];
}

/** Tool results stand in a message of their own, before what else the turn holds. */
function readMessage(message: JsonObject): Message[] {
  const parts = readContent(message.content);
  const extra = nonEmpty(fieldsBut(message, new Set(['role', 'content'])));
  if (message.role === 'assistant' || message.role === 'system') {
    return [compact<Message>({ role: message.role, parts, extra })];
  }
  const results = parts.filter((part) => part.type === 'tool-result');
  const rest = parts.filter((part) => part.type !== 'tool-result');
  return [
    ...(results.length > 0 ? [compact<Message>({ role: 'tool', parts: results, extra })] : []),
    ...(rest.length > 0 || results.length === 0
      ? [compact<Message>({ role: 'user', parts: rest, extra })]
      : []),
  ];
}

export const readSchemas = ({ tools, output_config, output_format }: JsonObject): Schemas => ({
  tools: readTools(tools),
  responseFormat: readFormat(objectOf(objectOf(output_config)?.format) ?? objectOf(output_format)),
});

function readFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  const schema = objectOf(format?.schema);
  if (format?.type !== 'json_schema' || !schema) return undefined;
  return { type: 'schema', name: 'response', schema };
}

const SETTINGS: ReadonlySet<Setting> = new Set([
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'stop',
  'user',
  // A hint where a prompt's cache lies, which this service finds by itself.
  'promptCacheKey',
]);

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'anthropic-messages';
  const maxTokens = request.maxOutputTokens ?? target.defaultMaxTokens;
  const { thinking, effort } = writeThinking(request, maxTokens, target);
  const format = writeFormat(request, target);
  const to = targetOf(request, target);
  const tools = writeTools(request, target);
  if (!own) reportDropped(request, SETTINGS, target);
  const body = compact<JsonObject>({
    model: target.model,
    max_tokens: maxTokens,
    system: writeSystem(request, format.instruction, to),
    messages: writeMessages(request, to),
    stream: target.stream || undefined,
    ...writeSampling(request, thinking !== undefined && thinking.type !== 'disabled', target),
    stop_sequences: own ? request.stop : request.stop?.filter((stop) => stop.trim() !== ''),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: own || tools.length > 0 ? writeToolChoice(request) : undefined,
    thinking,
    output_config: nonEmpty(compact({ effort, format: format.format })),
    metadata: nonEmpty(compact({ user_id: request.user, ...(own && request.metadata) })),
    service_tier: own ? request.serviceTier : undefined,
    cache_control: request.cache && writeCache(request.cache),
  });
  if (body.stop_sequences && (body.stop_sequences as string[]).length === 0 && !own)
    delete body.stop_sequences;
  return own ? withExtra(body, request.extra) : body;
}

/** Extra fields of an object that both sides know stand beside the known ones. */
function withExtra(body: JsonObject, extra: JsonObject): JsonObject {
  const config = { ...objectOf(body.output_config), ...objectOf(extra.output_config) };
  // The older name of the output format is written as it came, and only it.
  if (extra.output_format !== undefined) delete config.format;
  const { output_config, ...rest } = { ...body, ...extra };
  return hasFields(config) ? { ...rest, output_config: config } : rest;
}

/** The service takes a temperature up to 1, and of newer models not together with `top_p`; with thinking neither. */
function writeSampling(request: ChatRequest, thinks: boolean, target: RequestTarget): JsonObject {
  const { temperature, topP, topK } = request;
  if (request.dialect === 'anthropic-messages') return { temperature, top_p: topP, top_k: topK };
  if (thinks || traitsOf(target.model).adaptiveOnly) {
    if (temperature !== undefined && temperature !== 1) target.drop('temperature');
    if (topP !== undefined && topP !== 1) target.drop('top_p');
    if (topK !== undefined) target.drop('top_k');
    return {};
  }
  if (temperature !== undefined && temperature > 1) target.drop('temperature above 1');
  if (temperature !== undefined && topP !== undefined && topP !== 1) target.drop('top_p');
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: temperature === undefined ? topP : undefined,
    top_k: topK,
  };
}

/** A schema where the model can be held to it, else an instruction. */
function writeFormat(
  request: ChatRequest,
  target: RequestTarget,
): { format?: JsonObject; instruction?: string } {
  const format = request.responseFormat;
  if (!format || format.type === 'text') return {};
  if (format.type === 'schema') {
    if (request.dialect === 'anthropic-messages') {
      return { format: { type: 'json_schema', schema: format.schema } };
    }
    if (traitsOf(target.model).structured) {
      return { format: { type: 'json_schema', schema: outputSchema(format.schema) } };
    }
  }
  return { instruction: jsonInWords(format) };
}
