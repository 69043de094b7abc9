/** What the relay must know of a request for content, with every bound that is checked before anything else happens. */
import type { JsonObject } from '../../core/json.ts';
import { choicesIn, messagesIn, modelIn, objectIn, objectsIn, outputCapIn, textsIn } from '../bounds.ts';
import { goesOn } from '../continuations.ts';
import type { PathFacts, PromptSize, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { chatTexts, measureChat } from '../measure.ts';
import type { ChatRequest } from '../neutral.ts';
import { bareModel, camelFields } from './names.ts';
import { readRequest } from './request.ts';

const configOf = (body: JsonObject): JsonObject =>
  camelFields(objectIn(camelFields(body).generationConfig, 'generationConfig') ?? {});

function readCaps(body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> {
  const config = configOf(body);
  return {
    outputCap: outputCapIn(config.maxOutputTokens, 'generationConfig.maxOutputTokens'),
    choices: choicesIn(config.candidateCount, 'generationConfig.candidateCount'),
  };
}

export function readRequestFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = bareModel(modelIn(path.model ?? body.model));
  const fields = camelFields(body);
  messagesIn(fields.contents, 'contents', (content, at) => {
    textsIn(content, at, ['role']);
    objectsIn(content.parts, `${at}.parts`, (part, where) => textsIn(part, where, ['text']));
  });
  checkSystem(fields.systemInstruction);
  for (const field of ['toolConfig', 'generationConfig']) objectIn(fields[field], field);
  objectsIn(fields.safetySettings, 'safetySettings');
  objectsIn(fields.tools, 'tools', (tool, at) => {
    objectsIn(camelFields(tool).functionDeclarations, `${at}.functionDeclarations`);
  });
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
    ...goesOn(textOf(fields.continuationToken), { isSealed: false, isCertain: true }),
  };
}

/** Only the service knows how long the prompt is that it keeps. */
function measured(request: ChatRequest, isCached: boolean): PromptSize {
  const prompt = measureChat(request, 'contents');
  return isCached ? { ...prompt, unseen: true } : prompt;
}

function checkSystem(system: unknown): void {
  if (system === undefined || system === null || typeof system === 'string') return;
  if (Array.isArray(system)) return void objectsIn(system, 'systemInstruction');
  const content = objectIn(system, 'systemInstruction');
  if (content) objectsIn(content.parts, 'systemInstruction.parts', (part, at) => textsIn(part, at, ['text']));
}

/** The texts of a prompt that `readRequestFacts` has accepted, for a local count. */
export const promptTexts = (body: JsonObject): string[] => chatTexts(readRequest(body, {}));

export function addSystem(body: JsonObject, text: string, override: boolean): JsonObject {
  const { system_instruction, systemInstruction, ...rest } = body;
  const given = systemInstruction ?? system_instruction;
  const parts = typeof given === 'string' ? [{ text: given }] : objectsOf(objectOf(given)?.parts ?? given);
  if (parts.length > 0 && !override) return body;
  return { ...rest, systemInstruction: { ...objectOf(given), parts: [{ text }, ...parts] } };
}

export function withOutputCap(body: JsonObject, tokens: number): JsonObject {
  const { generation_config: _, ...rest } = body;
  return { ...rest, generationConfig: { ...configOf(body), maxOutputTokens: tokens } };
}
