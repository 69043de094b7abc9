/** Requests of the Responses wire. */
import type { JsonObject } from '../../core/json.ts';
import { bareName, isOpenAiThinker } from '../../core/model-families.ts';
import { isReference } from '../account.ts';
import type { RequestTarget, Schemas } from '../codec.ts';
import type { PathFacts } from '../dialect.ts';
import { reportDropped, type Setting } from '../dropped-settings.ts';
import { compact, FieldTaker, flagOf, numberOf, objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import type { ChatRequest, ResponseFormat } from '../neutral.ts';
import { isOpenAi } from '../openai-chat/reply.ts';
import { readInput } from './read-messages.ts';
import { readReasoning, writeReasoning } from './thinking.ts';
import { heldTools, readToolChoice, readTools, writeTools } from './tools.ts';
import { writeInput } from './write-messages.ts';

const VERBOSITIES = ['low', 'medium', 'high'] as const;

/** Fields that say more than the neutral form can hold stay among the request's own, word for word. */
export function readRequest(body: JsonObject, path: PathFacts): ChatRequest {
  const fields = new FieldTaker(body);
  const instructions = textOf(body.instructions);
  const text = objectOf(body.text);
  const request: ChatRequest = {
    dialect: 'openai-responses',
    model: fields.text('model') ?? path.model ?? '',
    stream: fields.flag('stream') ?? path.stream ?? false,
    messages: [
      ...(instructions === undefined ? [] : [instructionsMessage(instructions)]),
      ...readInput(fields.take('input', (input) => input)),
    ],
    ...readSchemas({ ...body, tools: fields.list('tools') }),
    toolChoice: fields.take('tool_choice', readToolChoice),
    parallelToolCalls: fields.flag('parallel_tool_calls'),
    reasoning: readReasoning(body),
    maxOutputTokens: fields.number('max_output_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    logprobs: Array.isArray(body.include) && body.include.includes(LOGPROBS) ? true : undefined,
    topLogprobs: numberOf(body.top_logprobs),
    verbosity: oneOf(text?.verbosity, VERBOSITIES),
    user: textOf(body.user) ?? textOf(body.safety_identifier),
    metadata: fields.object('metadata'),
    serviceTier: fields.text('service_tier'),
    promptCacheKey: fields.text('prompt_cache_key'),
    promptCacheRetention: fields.text('prompt_cache_retention'),
    promptCacheOptions: fields.object('prompt_cache_options'),
    store: fields.flag('store'),
    previousResponseId: keptContext(body),
    extra: {},
  };
  request.extra = fields.rest ?? {};
  return compact(request);
}

const LOGPROBS = 'message.output_text.logprobs';
const ENCRYPTED = 'reasoning.encrypted_content';

/** The name of what only the service keeps: an earlier answer, a conversation, a prompt, a single item. */
function keptContext(body: JsonObject): string | undefined {
  const reference = objectsOf(body.input).find(isReference);
  for (const kept of [body.previous_response_id, body.conversation, body.prompt, reference]) {
    const id = textOf(kept) ?? textOf(objectOf(kept)?.id);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** The instructions are a system message to others; their own dialect keeps the field. */
const instructionsMessage = (text: string) => ({
  role: 'system' as const,
  parts: [{ type: 'text' as const, text }],
  extra: { instructions: true },
});

/** Codex has its tools in an item of the input (`additional_tools`), for its newer models. */
export const readSchemas = ({ tools, text, input }: JsonObject): Schemas => ({
  tools: [
    ...readTools(tools),
    ...objectsOf(input).flatMap((item) => (item.type === 'additional_tools' ? heldTools(item.tools) : [])),
  ],
  responseFormat: readFormat(objectOf(objectOf(text)?.format)),
});

function readFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  const schema = objectOf(format?.schema);
  switch (format?.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return schema
        ? compact<ResponseFormat>({
            type: 'schema',
            name: textOf(format.name) ?? 'response',
            schema,
            description: textOf(format.description),
            strict: flagOf(format.strict),
          })
        : undefined;
    default:
      return undefined;
  }
}

// ---- Writing -----------------------------------------------------------------------------------------------------

/** Fewer output tokens are refused. */
const LEAST_OUTPUT = 16;

const KNOWN: ReadonlySet<Setting> = new Set<Setting>([
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'logprobs',
  'topLogprobs',
  'verbosity',
  'user',
  'metadata',
  'serviceTier',
  'promptCacheKey',
  'promptCacheRetention',
  'promptCacheOptions',
  'store',
]);

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'openai-responses';
  const body = compact<JsonObject>({
    model: target.model,
    input: writeInput(request, target),
    ...writeTools(request, target),
    temperature: request.temperature,
    top_p: request.topP,
    metadata: request.metadata,
    prompt_cache_key: request.promptCacheKey,
    prompt_cache_retention: request.promptCacheRetention,
    prompt_cache_options: request.promptCacheOptions,
    ...(own ? writeOwnFields(request) : writeOtherFields(request, target)),
  });
  return target.stream ? { ...body, stream: true } : body;
}

function writeOwnFields(request: ChatRequest): JsonObject {
  return {
    max_output_tokens: request.maxOutputTokens,
    service_tier: request.serviceTier,
    store: request.store,
    ...request.extra,
  };
}

function writeOtherFields(request: ChatRequest, target: RequestTarget): JsonObject {
  reportDropped(request, KNOWN, target);
  const { responseFormat, verbosity, maxOutputTokens, user } = request;
  // Of other makers' models nobody knows here which words of it they take on this wire.
  const thinks = isOpenAiThinker(bareName(target.model));
  if (request.reasoning && (!thinks || request.reasoning.eagerness)) target.drop('reasoning');
  if (request.serviceTier && !isOpenAi(request.dialect)) target.drop('service_tier');
  const format = responseFormat && responseFormat.type !== 'text' ? writeFormat(responseFormat) : undefined;
  const reasoning = thinks ? writeReasoning(request, target.model) : undefined;
  const include = [...(thinks ? [ENCRYPTED] : []), ...(request.logprobs ? [LOGPROBS] : [])];
  return {
    max_output_tokens: maxOutputTokens === undefined ? undefined : Math.max(maxOutputTokens, LEAST_OUTPUT),
    text: format || verbosity ? compact({ format, verbosity }) : undefined,
    reasoning,
    top_logprobs: request.logprobs ? request.topLogprobs : undefined,
    user,
    service_tier: isOpenAi(request.dialect) ? request.serviceTier : undefined,
    // Nobody could ask for the answer again, and the reasoning must come back to the model by way of the caller.
    store: request.store ?? false,
    include: include.length > 0 ? include : undefined,
  };
}

export function writeFormat(format: ResponseFormat): JsonObject {
  if (format.type !== 'schema') return { type: format.type === 'json' ? 'json_object' : 'text' };
  const { name, description, schema, strict } = format;
  // On this wire a schema is strict unless it says otherwise.
  return compact({ type: 'json_schema', name, description, schema, strict: strict ?? false });
}
