/** What the relay must know of a request for a response, with every bound that is checked before anything else happens. */
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { isReference } from '../account.ts';
import { checkToolLimits, picturesRead, toolLimitIn } from '../asked-tools.ts';
import {
  answeredNow,
  atMost,
  flagIn,
  isAbsent,
  modelIn,
  objectIn,
  objectsIn,
  outputCapIn,
  refuse,
  wrong,
} from '../bounds.ts';
import type { KeptThought, NamedItem, PathFacts, PromptSize, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { chatTexts, measureChat } from '../measure.ts';
import { containersNamed } from '../named-containers.ts';
import { sumsUp } from '../summed-up.ts';
import { isDrawn, isForeign } from './read-parts.ts';
import { readRequest } from './request.ts';

/** This wire has one answer only. */
const readCaps = (body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> => ({
  outputCap: outputCapIn(body.max_output_tokens, 'max_output_tokens'),
  choices: 1,
});

export function readRequestFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const stream = path.stream ?? flagIn(body.stream, 'stream');
  checkInput(body);
  if (!isAbsent(body.instructions) && typeof body.instructions !== 'string') {
    throw refuse('instructions', wrong.string);
  }
  objectsIn(body.tools, 'tools');
  checkToolLimits(body);
  toolLimitIn(body.max_tool_calls, 'max_tool_calls');
  for (const field of ['text', 'reasoning', 'metadata']) objectIn(body[field], field);
  answeredNow(body);
  if (!isAbsent(body.previous_response_id) && typeof body.previous_response_id !== 'string') {
    throw refuse('previous_response_id', wrong.string);
  }
  const request = readRequest(body, path);
  const prompt = measureChat(request, 'input');
  const namedItems = referencesIn(body);
  const drawnFrom = picturesRead(body.input);
  const keptThoughts = thoughtsIn(body);
  const containers = containersNamed(body);
  return {
    model,
    stream,
    ...readCaps(body),
    prompt: withKept(prompt, request.previousResponseId !== undefined || namedItems.length > 0),
    audioOut: false,
    wantsUsage: true,
    affinity: textOf(body.prompt_cache_key) ?? null,
    previousAnswer: textOf(body.previous_response_id) ?? null,
    ...(!isAbsent(body.truncation) && body.truncation !== 'disabled' && { leavesOut: true as const }),
    ...sumsUp(body),
    ...(keptThoughts.length > 0 && { keptThoughts }),
    ...(namedItems.length > 0 && { namedItems }),
    ...(containers.length > 0 && { containers }),
    ...(drawnFrom > 0 && { drawnFrom }),
  };
}

/** Only the service knows how long a prompt is that it keeps; of an earlier answer the relay may remember it. */
function withKept(prompt: PromptSize, isEarlier: boolean): PromptSize {
  if (!isEarlier) return prompt;
  return { ...prompt, unseen: true, ...(!prompt.unseen && { earlier: null }) };
}

/** Thoughts of earlier answers; those that were made here do not go up. */
const thoughtsIn = (body: JsonObject): KeptThought[] =>
  objectsOf(body.input).flatMap((item) => {
    const id = textOf(item.id);
    if (item.type !== 'reasoning' || !id || isForeign(item)) return [];
    return [{ id, isSealed: textOf(item.encrypted_content) !== undefined && item.encrypted_content !== '' }];
  });

/** Items of the input that name what the service keeps of others' calls, too. */
const referencesIn = ({ input }: JsonObject): NamedItem[] =>
  Array.isArray(input)
    ? input.flatMap((item, n) =>
        isReference(item) ? [{ id: textOf(objectOf(item)?.id) ?? null, at: `input[${n}]` }] : [],
      )
    : [];

/** Something must be said, unless the service keeps a prompt or a conversation that says it. */
function checkInput(body: JsonObject): void {
  const { input } = body;
  if (isAbsent(input)) {
    const isKept = ['prompt', 'conversation', 'previous_response_id'].some((field) => !isAbsent(body[field]));
    if (!isKept) throw refuse('input', wrong.missing);
    return;
  }
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) throw refuse('input', wrong.stringOrArray);
  if (input.length > limits.messagesMax) throw refuse('input', atMost(limits.messagesMax, '项', 'items'));
  objectsIn(input, 'input', (item, at) => {
    const { content, role, type, result } = item;
    if (type === 'image_generation_call' && typeof result === 'string' && !isDrawn(result)) {
      throw refuse(`${at}.result`, wrong.base64);
    }
    if (!isAbsent(role) && typeof role !== 'string') throw refuse(`${at}.role`, wrong.string);
    if (isAbsent(content) || typeof content === 'string') return;
    if (!Array.isArray(content)) throw refuse(`${at}.content`, wrong.stringOrArray);
    objectsIn(content, `${at}.content`);
  });
}

/** The texts of a prompt that `readRequestFacts` has accepted, for a local count. */
export const promptTexts = (body: JsonObject): string[] => chatTexts(readRequest(body, {}));

export function addSystem(body: JsonObject, text: string, override: boolean): JsonObject {
  const { instructions } = body;
  if (typeof instructions === 'string' && instructions !== '') {
    return override ? { ...body, instructions: `${text}\n${instructions}` } : body;
  }
  const has = objectsOf(body.input).some(({ role }) => role === 'system' || role === 'developer');
  return has && !override ? body : { ...body, instructions: text };
}

export const withOutputCap = (body: JsonObject, tokens: number): JsonObject => ({
  ...body,
  max_output_tokens: tokens,
});
