/** Chat Completions requests. */
import type { JsonObject } from '../../core/json.ts';
import { longestAnswerOf } from '../../core/longest-answers.ts';
import { bareName, isKimiThinker, isOpenAiReasoner, plainName } from '../../core/model-families.ts';
import { takesStops } from '../../core/openai-thinkers.ts';
import type { ChatExtension } from '../chat-extension.ts';
import type { RequestTarget, Schemas } from '../codec.ts';
import type { PathFacts } from '../dialect.ts';
import { refuseKeptContext } from '../dropped-settings.ts';
import { compact, FieldTaker, flagOf, numberOf, objectOf, oneOf, textOf } from '../fields.ts';
import type { ChatRequest, ResponseFormat } from '../neutral.ts';
import { wishedThoughts } from '../wished-thoughts.ts';
import { MessageReader } from './read-messages.ts';
import { readCache } from './read-parts.ts';
import { isOpenAi } from './reply.ts';
import { readReasoning, writeReasoning } from './thinking.ts';
import { readFunctionCall, readToolChoice, readTools, writeCache, writeTools } from './tools.ts';
import { writeMessages } from './write-messages.ts';

const VERBOSITIES = ['low', 'medium', 'high'] as const;

/**
 * What a request means. Where vendors have several words for one thing (limits, reasoning, stop words, formats, users),
 * the words themselves stay among its own fields, and an upstream of this dialect gets them back as they were.
 */
export function readRequest(body: JsonObject, path: PathFacts): ChatRequest {
  const fields = new FieldTaker(body);
  const messages = new MessageReader();
  const request: ChatRequest = {
    dialect: 'openai-chat',
    model: fields.text('model') ?? path.model ?? '',
    stream: fields.flag('stream') ?? path.stream ?? false,
    messages: (fields.list('messages') ?? []).map((message, at) => messages.read(message, at)),
    ...readSchemas(body),
    toolChoice: fields.take('tool_choice', readToolChoice) ?? readFunctionCall(body.function_call),
    parallelToolCalls: fields.flag('parallel_tool_calls'),
    reasoning: readReasoning(body),
    maxOutputTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.number('top_k'),
    minP: fields.number('min_p'),
    frequencyPenalty: fields.number('frequency_penalty'),
    presencePenalty: fields.number('presence_penalty'),
    repetitionPenalty: fields.number('repetition_penalty'),
    seed: fields.number('seed'),
    stop: readStopWords(body.stop),
    choices: fields.number('n'),
    logprobs: fields.flag('logprobs'),
    topLogprobs: fields.number('top_logprobs'),
    logitBias: fields.take('logit_bias', readBias),
    verbosity: fields.take('verbosity', (value) => oneOf(value, VERBOSITIES)),
    modalities: fields.take('modalities', readTexts),
    audio: fields.take('audio', readVoice),
    user: textOf(body.user) ?? textOf(body.safety_identifier),
    metadata: fields.object('metadata'),
    serviceTier: fields.text('service_tier'),
    promptCacheKey: fields.text('prompt_cache_key'),
    promptCacheRetention: fields.text('prompt_cache_retention'),
    promptCacheOptions: fields.object('prompt_cache_options'),
    store: fields.flag('store'),
    cache: fields.take('cache_control', readCache),
    extra: {},
  };
  fields.list('tools');
  fields.object('web_search_options');
  request.extra = fields.rest ?? {};
  return compact(request);
}

/** The request in OpenAI's words, and in those of other vendors that the upstream takes besides. */
export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  refuseKeptContext(request);
  const own = request.dialect === 'openai-chat';
  const body: JsonObject = compact({
    model: target.model,
    messages: writeMessages(request, target),
    ...writeTools(request, target),
    ...(own ? sampling(request) : otherSampling(request, target)),
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    seed: request.seed,
    n: request.choices,
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    logit_bias: request.logitBias,
    ...(own ? writeOwnFields(request) : writeOtherFields(request, target)),
  });
  if (!target.stream) return body;
  const asked = target.askUsage && { include_usage: true };
  const options = { ...objectOf(body.stream_options), ...asked };
  return { ...body, stream: true, ...(Object.keys(options).length > 0 && { stream_options: options }) };
}

const sampling = ({ temperature, topP }: ChatRequest): JsonObject => ({ temperature, top_p: topP });

/** Nobody but their own callers knows which models take none. */
function otherSampling(request: ChatRequest, target: RequestTarget): JsonObject {
  const said = sampling(request);
  if (!isKimiThinker(plainName(target.model))) return said;
  for (const [field, value] of Object.entries(said)) if (value !== undefined) target.drop(field);
  return {};
}

function writeOwnFields(request: ChatRequest): JsonObject {
  return {
    top_k: request.topK,
    min_p: request.minP,
    repetition_penalty: request.repetitionPenalty,
    verbosity: request.verbosity,
    modalities: request.modalities,
    audio: request.audio,
    metadata: request.metadata,
    service_tier: request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    prompt_cache_retention: request.promptCacheRetention,
    prompt_cache_options: request.promptCacheOptions,
    store: request.store,
    cache_control: request.cache && writeCache(request.cache),
    ...request.extra,
  };
}

function writeOtherFields(request: ChatRequest, target: RequestTarget): JsonObject {
  const { responseFormat: format, modalities } = request;
  const { extensions } = target;
  const switches = extensions?.has('enable_thinking') === true || extensions?.has('thinking') === true;
  const reasoning = wishedThoughts(request, target, switches);
  const stop = takesStops(target.model) ? request.stop : undefined;
  if (request.stop && !stop) target.drop('stop');
  const body: JsonObject = {
    response_format: format && format.type !== 'text' ? writeFormat(format) : undefined,
    stop: stop && (stop.length === 1 ? stop[0] : stop),
    [limitField(target.model)]: limitAt(request, target),
    user: request.user,
    ...(reasoning && writeReasoning(reasoning, target)),
  };
  const say = (extension: ChatExtension, field: string, value: JsonObject[string]): void => {
    if (value === undefined) return;
    if (target.extensions?.has(extension)) body[field] = value;
    else target.drop(field);
  };
  say('top_k', 'top_k', request.topK);
  say('min_p', 'min_p', request.minP);
  say('repetition_penalty', 'repetition_penalty', request.repetitionPenalty);
  say('verbosity', 'verbosity', request.verbosity);
  say('openai_fields', 'prompt_cache_key', request.promptCacheKey);
  say('openai_fields', 'prompt_cache_retention', request.promptCacheRetention);
  say('openai_fields', 'prompt_cache_options', request.promptCacheOptions);
  // Other dialects have the same field with other words.
  if (isOpenAi(request.dialect)) say('openai_fields', 'service_tier', request.serviceTier);
  else if (request.serviceTier) target.drop('service_tier');
  say('openai_fields', 'store', request.store || undefined);
  // OpenAI keeps metadata only of answers that it stores.
  if (request.store) say('openai_fields', 'metadata', request.metadata);
  else if (request.metadata) target.drop('metadata');
  say('cache_control', 'cache_control', request.cache && writeCache(request.cache));
  if (modalities?.includes('audio') && request.audio) {
    body.modalities = modalities;
    body.audio = request.audio;
  } else if (modalities?.some((kind) => kind !== 'text')) {
    target.drop('modalities');
  }
  return body;
}

/** Messages cannot be asked without a limit, so that its clients name one for all models: a larger one is refused. */
function limitAt({ maxOutputTokens: wanted }: ChatRequest, target: RequestTarget): number | undefined {
  const longest = longestAnswerOf(target.model);
  if (wanted === undefined || longest === undefined || wanted <= longest) return wanted;
  target.drop(`max_tokens beyond ${longest}`);
  return longest;
}

/** OpenAI's reasoning models know only the newer name of the limit, most other models on this wire only the older. */
export const limitField = (model: string): 'max_tokens' | 'max_completion_tokens' =>
  isOpenAiReasoner(bareName(model)) ? 'max_completion_tokens' : 'max_tokens';

// ---- Single fields -----------------------------------------------------------------------------------------------

export const readSchemas = (body: JsonObject): Schemas => ({
  tools: readTools(body),
  responseFormat: readFormat(body.response_format),
});

export function readFormat(value: unknown): ResponseFormat | undefined {
  const format = objectOf(value);
  if (format?.type === 'text') return { type: 'text' };
  // Some servers take the schema of a JSON object beside its type.
  const said = objectOf(format?.json_schema) ?? { schema: format?.schema };
  const schema = objectOf(said.schema);
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return undefined;
  if (!schema) return format.type === 'json_object' ? { type: 'json' } : undefined;
  return compact<ResponseFormat>({
    type: 'schema',
    name: textOf(said.name) ?? 'response',
    schema,
    description: textOf(said.description),
    strict: flagOf(said.strict),
  });
}

function writeFormat(format: ResponseFormat): JsonObject {
  if (format.type !== 'schema') return { type: format.type === 'json' ? 'json_object' : 'text' };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: compact({ name, description, schema, strict }) };
}

function readStopWords(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  const words = readTexts(value);
  return words && words.length > 0 ? words : undefined;
}

/** A list of nothing but texts. */
function readTexts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item) => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}

function readBias(value: unknown): Record<string, number> | undefined {
  const bias: Record<string, number> = {};
  const given = objectOf(value);
  if (!given) return undefined;
  for (const [token, weight] of Object.entries(given)) {
    if (typeof weight !== 'number') return undefined;
    bias[token] = weight;
  }
  return bias;
}

/** OpenAI also takes the id of a voice; only a voice's name means something elsewhere. */
function readVoice(value: unknown): { voice: string; format: string } | undefined {
  const audio = objectOf(value);
  const { voice, format, ...rest } = audio ?? {};
  if (typeof voice !== 'string' || typeof format !== 'string' || Object.keys(rest).length > 0)
    return undefined;
  return { voice, format };
}
