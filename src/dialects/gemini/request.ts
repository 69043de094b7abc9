/** Requests of generateContent from and into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import type { PathFacts } from '../dialect.ts';
import { reportDropped, type Setting } from '../dropped-settings.ts';
import { compact, FieldTaker, fieldsBut, hasFields, objectOf, textOf } from '../fields.ts';
import type { ChatRequest, Reasoning, ResponseFormat } from '../neutral.ts';
import { checkSize, SchemaSizes } from '../references.ts';
import { bareModel, camelFields } from './names.ts';
import { readContents } from './read-messages.ts';
import { CleanSchemas, plainSchema } from './schema.ts';
import { readThinking, writeThinking } from './thinking.ts';
import { readToolChoice, readTools, writeToolChoice, writeTools } from './tools.ts';
import { targetOf, writeContents, writeSystem } from './write-messages.ts';

const KNOWN = new Set(['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'model']);

export function readRequest(body: JsonObject, path: PathFacts): ChatRequest {
  const fields = camelFields(body);
  const { settings, rest } = readConfig(objectOf(fields.generationConfig) ?? {});
  return compact<ChatRequest>({
    dialect: 'gemini',
    model: bareModel(path.model ?? textOf(body.model) ?? ''),
    stream: path.stream ?? false,
    messages: readContents(fields),
    tools: readTools(fields.tools),
    toolChoice: readToolChoice(fields.toolConfig),
    ...settings,
    extra: compact({
      ...fieldsBut(fields, KNOWN),
      toolConfig: fields.toolConfig,
      generationConfig: hasFields(rest) ? rest : undefined,
    }),
  });
}

function readConfig(given: JsonObject): { settings: Partial<ChatRequest>; rest: JsonObject } {
  const config = camelFields(given);
  const fields = new FieldTaker(config);
  const voice = ['speechConfig', 'voiceConfig', 'prebuiltVoiceConfig'].reduce<JsonObject>(
    (at, name) => camelFields(objectOf(at[name]) ?? {}),
    config,
  );
  const settings: Partial<ChatRequest> = compact({
    temperature: fields.number('temperature'),
    topP: fields.number('topP'),
    topK: fields.number('topK'),
    choices: fields.number('candidateCount'),
    maxOutputTokens: fields.number('maxOutputTokens'),
    stop: fields.take('stopSequences', textsOf),
    presencePenalty: fields.number('presencePenalty'),
    frequencyPenalty: fields.number('frequencyPenalty'),
    seed: fields.number('seed'),
    logprobs: fields.flag('responseLogprobs'),
    topLogprobs: fields.number('logprobs'),
    // What is said more richly here than anywhere else stays whole beside what others understand of it.
    reasoning: readThinking(config.thinkingConfig),
    responseFormat: readFormat(config),
    modalities: textsOf(config.responseModalities)?.map((modality) => modality.toLowerCase()),
    audio: typeof voice.voiceName === 'string' ? { voice: voice.voiceName, format: 'pcm16' } : undefined,
  });
  return { settings, rest: fields.rest ?? {} };
}

/** The same as the request's own. */
export const readReasoning = (body: JsonObject): Reasoning | undefined =>
  readThinking(camelFields(objectOf(body.generationConfig ?? body.generation_config) ?? {}).thinkingConfig);

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;

function readFormat(config: JsonObject): ResponseFormat | undefined {
  if (config.responseMimeType !== 'application/json') return undefined;
  const own = objectOf(config.responseSchema);
  const schema = objectOf(config.responseJsonSchema) ?? (own && plainSchema(own));
  return schema ? { type: 'schema', name: 'response', schema } : { type: 'json' };
}

const SETTINGS: ReadonlySet<Setting | 'choices'> = new Set([
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'frequencyPenalty',
  'presencePenalty',
  'seed',
  'stop',
  'logprobs',
  'topLogprobs',
  'modalities',
  'audio',
  'choices',
  // Hints that cost nothing when nobody takes them.
  'user',
  'promptCacheKey',
]);

/** The service takes no more stop sequences than this. */
const STOPS_MAX = 5;

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  const own = request.dialect === 'gemini';
  if (!own) reportDropped(request, SETTINGS, target);
  // Copies are made of no more than a model reads.
  if (!own) checkSize(new SchemaSizes().ofSchemas(request));
  if ((request.stop?.length ?? 0) > STOPS_MAX) target.drop('stop beyond five');
  const to = targetOf(request, target);
  const schemas = new CleanSchemas();
  const tools = writeTools(request, target, schemas);
  const config = own ? writeOwnConfig(request) : writeConfig(request, target, schemas);
  return compact<JsonObject>({
    contents: writeContents(request, to, target.model),
    systemInstruction: writeSystem(request, to),
    tools: tools.length > 0 ? tools : undefined,
    toolConfig: writeToolChoice(request, tools),
    generationConfig: hasFields(config) ? config : undefined,
    ...(own && fieldsBut(request.extra, new Set(['generationConfig']))),
  });
}

const sampling = (request: ChatRequest): JsonObject =>
  compact({
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    candidateCount: request.choices,
    maxOutputTokens: request.maxOutputTokens,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    stopSequences: request.stop,
  });

function writeOwnConfig(request: ChatRequest): JsonObject {
  return compact({
    ...sampling(request),
    responseLogprobs: request.logprobs,
    logprobs: request.topLogprobs,
    ...objectOf(request.extra.generationConfig),
  });
}

function writeConfig(request: ChatRequest, target: RequestTarget, schemas: CleanSchemas): JsonObject {
  const modalities = request.modalities?.map((modality) => modality.toUpperCase());
  return compact({
    ...sampling(request),
    candidateCount: (request.choices ?? 1) > 1 ? request.choices : undefined,
    stopSequences: request.stop && request.stop.length > 0 ? request.stop.slice(0, STOPS_MAX) : undefined,
    responseLogprobs: request.logprobs || undefined,
    logprobs: request.logprobs ? request.topLogprobs : undefined,
    ...writeFormat(request.responseFormat, schemas),
    // The service speaks or writes; a spoken answer comes without its text.
    responseModalities: modalities?.includes('AUDIO')
      ? ['AUDIO']
      : plainText(modalities)
        ? undefined
        : modalities,
    speechConfig: request.audio && {
      voiceConfig: { prebuiltVoiceConfig: { voiceName: request.audio.voice } },
    },
    thinkingConfig: writeThinking(request.reasoning, target),
  });
}

const plainText = (modalities: string[] | undefined): boolean =>
  modalities?.every((modality) => modality === 'TEXT') ?? true;

function writeFormat(format: ResponseFormat | undefined, schemas: CleanSchemas): JsonObject {
  if (!format || format.type === 'text') return {};
  return compact({
    responseMimeType: 'application/json',
    responseSchema: format.type === 'schema' ? schemas.schema(format.schema) : undefined,
  });
}
