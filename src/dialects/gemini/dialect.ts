/** Google's generateContent, as AI Studio and Vertex speak it. Its paths name the model and whether the answer streams. */

import { isObject, type JsonObject } from '../../core/json.ts';
import { geminiTools } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import { choicesIn, messagesIn, modelIn, objectIn, objectsIn, outputCapIn, textsIn } from '../bounds.ts';
import { isCarried } from '../carried.ts';
import type { PathFacts, PromptSize, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { chatTexts, measureChat } from '../measure.ts';
import type { ChatRequest } from '../neutral.ts';
import { dataFrame, errorBody } from './errors.ts';
import { modelCards } from './model-cards.ts';
import { bareModel, camelFields, TWINS } from './names.ts';
import { GEMINI_READS } from './reads.ts';
import { readBlock } from './reply.ts';
import { GeminiTap, readReplyFacts } from './reply-facts.ts';
import { readRequest } from './request.ts';
import { writeWish } from './thinking.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    gemini: true;
  }
}

const configOf = (body: JsonObject): JsonObject =>
  camelFields(objectIn(camelFields(body).generationConfig, 'generationConfig') ?? {});

function readCaps(body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> {
  const config = configOf(body);
  return {
    outputCap: outputCapIn(config.maxOutputTokens, 'generationConfig.maxOutputTokens'),
    choices: choicesIn(config.candidateCount, 'generationConfig.candidateCount'),
  };
}

function readFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = bareModel(modelIn(path.model ?? body.model));
  const fields = camelFields(body);
  messagesIn(fields.contents, 'contents', (content, at) => {
    textsIn(content, at, ['role']);
    objectsIn(content.parts, `${at}.parts`, (part, where) => textsIn(part, where, ['text']));
  });
  checkSystem(fields.systemInstruction);
  for (const field of ['toolConfig', 'generationConfig']) objectIn(fields[field], field);
  for (const field of ['tools', 'safetySettings']) objectsIn(fields[field], field);
  const request = readRequest(body, path);
  return {
    model,
    stream: path.stream ?? false,
    ...readCaps(body),
    prompt: measured(request, textOf(fields.cachedContent) !== undefined),
    audioOut: request.modalities?.includes('audio') ?? false,
    wantsUsage: true,
    affinity: textOf(fields.cachedContent) ?? null,
    previousAnswer: null,
  };
}

/** Only the service knows how long the prompt is that it keeps. */
function measured(request: ChatRequest, isCached: boolean): PromptSize {
  const prompt = measureChat(request);
  return isCached ? { ...prompt, unseen: true } : prompt;
}

function checkSystem(system: unknown): void {
  if (system === undefined || system === null || typeof system === 'string') return;
  if (Array.isArray(system)) return void objectsIn(system, 'systemInstruction');
  const content = objectIn(system, 'systemInstruction');
  if (content) objectsIn(content.parts, 'systemInstruction.parts', (part, at) => textsIn(part, at, ['text']));
}

function addSystem(body: JsonObject, text: string, override: boolean): JsonObject {
  const { system_instruction, systemInstruction, ...rest } = body;
  const given = systemInstruction ?? system_instruction;
  const parts = typeof given === 'string' ? [{ text: given }] : objectsOf(objectOf(given)?.parts ?? given);
  if (parts.length > 0 && !override) return body;
  return { ...rest, systemInstruction: { ...objectOf(given), parts: [{ text }, ...parts] } };
}

function withOutputCap(body: JsonObject, tokens: number): JsonObject {
  const { generation_config: _, ...rest } = body;
  return { ...rest, generationConfig: { ...configOf(body), maxOutputTokens: tokens } };
}

/**
 * Everything but what the path says, and what answers of other makers left in the history: thoughts that no signature of
 * Google's proves. What came in two spellings goes up in the one that was read and priced.
 */
function forward(given: JsonObject): JsonObject {
  const { model: _, stream: __, ...body } = camelFields(given);
  const config = objectOf(body.generationConfig);
  if (config) body.generationConfig = camelFields(config);
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  return {
    ...body,
    contents: contents.map((content) =>
      isObject(content) && objectsOf(content.parts).some(isForeign)
        ? { ...content, parts: objectsOf(content.parts).filter((part) => !isForeign(part)) }
        : content,
    ),
  };
}

const isForeign = (part: JsonObject): boolean => isCarried(part.thoughtSignature ?? part.thought_signature);

export const gemini: CallersDialect = {
  id: 'gemini',
  isClient: (path, headers) => path.startsWith('/v1beta/') || headers.has('x-goog-api-key'),
  rules: {
    caps: ['max_output_tokens', 'candidate_count'],
    twins: TWINS,
    opaque: [
      ...OPAQUE,
      'args',
      'partial_args',
      'response',
      'parameters',
      'parameters_json_schema',
      'response_schema',
      'response_json_schema',
      'labels',
    ],
  },
  reads: GEMINI_READS,
  readRequest: readFacts,
  paidTools: geminiTools,
  writeWish,
  promptTexts: (body) => chatTexts(readRequest(body, {})),
  addSystem,
  withOutputCap,
  forward,
  readReply: readReplyFacts,
  readRefusal: (body) => (isObject(body) ? readBlock(body as JsonObject) : null),
  tap: () => new GeminiTap(),
  endMarker: null,
  modelCards,
  streamContentType: 'text/event-stream',
  streamsJson: true,
  errorBody,
  errorFrame: (error) => dataFrame(errorBody(error)),
};
