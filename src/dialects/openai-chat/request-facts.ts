/** What the relay must know of a Chat Completions request, with every bound that is checked before anything else happens. */
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TextSize } from '../../core/text-tokens.ts';
import { checkToolLimits } from '../asked-tools.ts';
import {
  answeredNow,
  atMost,
  boundedIn,
  choicesIn,
  flagIn,
  isAbsent,
  messagesIn,
  modelIn,
  outputCapIn,
  refuse,
  wrong,
} from '../bounds.ts';
import { goesOn } from '../continuations.ts';
import type { GoesOn, PromptSize, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { ADDRESS_FIELDS, ADDRESS_NAMES } from '../gateway-fields.ts';
import {
  CallNames,
  countMedium,
  FPS_MOST,
  lookIn,
  markUnseen,
  measureDocument,
  measureMedia,
  measureRaw,
  mediaTexts,
  rawTexts,
} from '../measure.ts';
import { checkAddress, checkWebAddress } from '../media.ts';
import type { ThinkingPart } from '../neutral.ts';
import { NONE, otherTexts } from '../other-texts.ts';
import { addSealed, holdsSealed, unsealed } from '../proofs.ts';
import { isNoText, NAME_CHARS, placeOf, readRaw } from '../raw-parts.ts';
import { sumsUp } from '../summed-up.ts';
import { addText, sizeOfTexts, sizeOfTools, type ToolPart } from '../text-size.ts';
import { imagesIn, isSaid, mediumOf, readAudio, reasoningText } from './read-parts.ts';
import { DETAIL } from './reads.ts';
import { limitField } from './request.ts';
import { readThinking, sealedByGoogle } from './thinking-details.ts';

/** The larger cap where a request names both, because upstreams differ in which one they follow. */
function readCaps(body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> {
  const older = outputCapIn(body.max_tokens, 'max_tokens') ?? 0;
  const newer = outputCapIn(body.max_completion_tokens, 'max_completion_tokens') ?? 0;
  const outputCap = Math.max(older, newer);
  return { outputCap: outputCap || null, choices: choicesIn(body.n, 'n') };
}

/** By the name that the model knows; providers rename it where theirs know the other only. */
export function withOutputCap(body: JsonObject, tokens: number): JsonObject {
  const { max_tokens: _, max_completion_tokens: __, ...rest } = body;
  return { ...rest, [limitField(typeof body.model === 'string' ? body.model : '')]: tokens };
}

export function readRequestFacts(body: JsonObject): RequestFacts {
  const model = modelIn(body.model);
  const stream = flagIn(body.stream, 'stream');
  const { stream_options: options } = body;
  if (!isAbsent(options) && !isObject(options)) throw refuse('stream_options', wrong.object);
  checkToolLimits(body);
  answeredNow(body);
  return {
    model,
    stream,
    ...readCaps(body),
    prompt: measure(body),
    audioOut: Array.isArray(body.modalities) && body.modalities.includes('audio'),
    wantsUsage: isObject(options) && options.include_usage === true,
    affinity: typeof body.prompt_cache_key === 'string' ? body.prompt_cache_key : null,
    previousAnswer: null,
    ...continuedIn(objectsOf(body.messages)),
    ...sumsUp(body),
  };
}

function measure(body: JsonObject): PromptSize {
  const prompt: PromptSize = {
    textBytes: 0,
    messages: 0,
    ...toolSize(body),
    images: [],
    audioSeconds: 0,
    files: 0,
    fileBytes: 0,
  };
  const messages = readMessages(body);
  const names = namesIn(messages);
  for (const message of messages) {
    prompt.messages++;
    for (const text of saidIn(message)) addText(prompt, text);
    if (message.role === 'tool' && typeof message.name !== 'string')
      addText(prompt, names.of(message.tool_call_id));
    for (const thought of thoughtsOf(message)) addSealed(prompt, thought);
    if (objectsOf(message.tool_calls).some(isProven)) prompt.sizedByVendor = true;
    for (const part of objectsOf(message.content)) measurePart(part, prompt);
    measureImages(message.images, prompt);
    measureSpoken(message.audio, `messages[${prompt.messages - 1}].audio`, prompt);
  }
  if (PIXEL_WISHES.some((name) => !isAbsent(body[name]))) {
    prompt.images = prompt.images.map((image) => ({ ...image, detail: 'original' }));
  }
  if (prompt.videoSeconds !== undefined) {
    const wishes = wishesIn(body);
    const { fps = 1 } = lookIn(wishes);
    const cut = Math.min(framesIn(wishes) * prompt.files, prompt.videoSeconds * FPS_MOST);
    prompt.videoFrames = Math.max(prompt.videoFrames ?? 0, prompt.videoSeconds * fps, cut);
  }
  if (foretells(body)) prompt.foretold = foretoldIn(body);
  return prompt;
}

function namesIn(messages: readonly JsonObject[]): CallNames {
  const names = new CallNames();
  for (const [n, { tool_calls }] of messages.entries()) {
    for (const [m, call] of objectsOf(tool_calls).entries()) {
      for (const kind of ['function', 'custom'])
        names.note(call.id, objectOf(call[kind])?.name, `messages[${n}].tool_calls[${m}].${kind}.name`);
    }
  }
  return names;
}

export const foretells = ({ prediction }: JsonObject): boolean => !isAbsent(prediction);

/** Its words are also read, with those of all fields that nobody knows. */
function foretoldIn({ prediction = null }: JsonObject): TextSize {
  const { textBytes, textDense } = sizeOfTexts(otherTexts({ prediction }, NONE));
  return { bytes: textBytes, dense: textDense };
}

/** Qwen's models, and those of vLLM, look at all pictures as closely as these say. */
const PIXEL_WISHES = ['vl_high_resolution_images', 'mm_processor_kwargs'] as const;

/** vLLM's, of all films. */
const wishesIn = ({ mm_processor_kwargs = null, media_io_kwargs = null }: JsonObject): JsonObject => ({
  mm_processor_kwargs,
  media_io_kwargs,
});

/** Into how many frames each is cut, of one second or of an hour: all that it has, where that is no number. */
function framesIn(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((most, each) => Math.max(most, framesIn(each)), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value as JsonObject).reduce((most, [name, inner = null]) => {
    if (name !== 'num_frames' || inner === null) return Math.max(most, framesIn(inner));
    return Math.max(most, typeof inner === 'number' && inner > 0 ? inner : Number.POSITIVE_INFINITY);
  }, 0);
}

const readMessages = (body: JsonObject): JsonObject[] => messagesIn(body.messages, 'messages', checkMessage);

function checkMessage(message: JsonObject, at: string): void {
  if (typeof message.role !== 'string') throw refuse(`${at}.role`, wrong.string);
  const { content } = message;
  boundedIn(content, `${at}.content`);
  boundedIn(message.tool_calls, `${at}.tool_calls`);
  boundedIn(message.images, `${at}.images`);
  if (isAbsent(content) || typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(`${at}.content`, wrong.stringOrArray);
  for (const [n, part] of content.entries()) {
    if (typeof part === 'string') continue;
    if (!isObject(part)) throw refuse(`${at}.content[${n}]`, wrong.object);
    if (part.type === 'text' && typeof part.text !== 'string') {
      throw refuse(`${at}.content[${n}].text`, wrong.string);
    }
  }
}

/** Everything in a message that the model reads as text. */
const messageTexts = (message: JsonObject): string[] => [
  ...(typeof message.role === 'string' ? [message.role] : []),
  ...saidIn(message),
  ...[...objectsOf(message.content), ...imagesIn(message.images)].flatMap(textsBeside),
];

/** The same without its role, for which the bound counts tokens of its own, and without media. */
function saidIn(message: JsonObject): string[] {
  const texts: string[] = [];
  const add = (value: unknown) => {
    if (typeof value === 'string') texts.push(value);
  };
  add(message.name);
  if (Array.isArray(message.content)) {
    for (const part of message.content) {
      if (!isObject(part)) add(part);
      else if (part.type === 'text') add(part.text);
      else if (part.type === 'refusal') add(part.refusal);
    }
  } else add(message.content);
  for (const field of ['reasoning_content', 'reasoning', 'refusal', 'tool_call_id']) add(message[field]);
  for (const field of ['tool_calls', 'function_call']) {
    if (message[field]) texts.push(JSON.stringify(message[field]));
  }
  return [...texts, ...detailsOf(message), ...thoughtsOf(message).flatMap(provenIn)];
}

/** What its details of reasoning tell as other wires are told of it. */
const thoughtsOf = (message: JsonObject): ThinkingPart[] =>
  isAbsent(message.reasoning_details) ? [] : readThinking(reasoningText(message), message.reasoning_details);

/** What proves a call stands in its id or in fields beside it, which Google's and each gateway name otherwise. */
const isProven = ({ function: _f, custom: _c, ...beside }: JsonObject): boolean =>
  holdsSealed(JSON.stringify(beside));

const provenIn = (thought: ThinkingPart): string[] => [thought.encrypted ?? '', ...unsealed(thought)];

/**
 * OpenRouter has the token with which an answer goes on among what Google sealed for it, of the same form as what proves its
 * thoughts. Behind those a caller says more, as a rule; with that he sends the same again, and the answer so far.
 */
function continuedIn(messages: readonly JsonObject[]): { continues?: GoesOn } {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const isCertain = at === messages.length - 1;
  return goesOn(sealedByGoogle(messages[at] ?? {}).at(-1), { isSealed: true, isCertain });
}

/** What details of reasoning say, where the message does not say the same beside them. */
function detailsOf({ reasoning_details: details, reasoning, reasoning_content }: JsonObject): string[] {
  if (isAbsent(details)) return [];
  if (!Array.isArray(details)) return otherTexts({ details }, NONE);
  const texts = details.flatMap((detail) =>
    isObject(detail) ? otherTexts(detail as JsonObject, DETAIL) : otherTexts({ detail }, NONE),
  );
  const said = texts.join('');
  return said === reasoning || said === reasoning_content ? [] : texts;
}

/** Media of this wire are held as other wires would be told of them; its texts are measured where they stand. */
function measurePart(part: JsonObject, prompt: PromptSize): void {
  checkAddresses(part);
  if (isSaid(part)) return;
  const medium = mediumOf(part);
  if (medium) measureMedia(medium, prompt);
  else measureAdded(part, prompt);
}

/** What a part says beside its text, and its media that are texts. */
const textsBeside = (part: JsonObject): string[] => {
  if (isSaid(part)) return [];
  const medium = mediumOf(part);
  return medium ? mediaTexts(medium) : [...addedWords(part), ...rawTexts(readRaw(part).media)];
};

/** A field of an assistant's message, in which earlier answers have their pictures. */
function measureImages(images: unknown, prompt: PromptSize): void {
  for (const image of imagesIn(images)) measurePart(image, prompt);
}

/** A field of an assistant's message, in which earlier answers have their sound: itself, or the service's name for it. */
function measureSpoken(audio: unknown, at: string, prompt: PromptSize): void {
  const object = objectOf(audio);
  if (!object) return;
  const { id, data } = object;
  const { audioSeconds: heldBefore, knownSeconds: knownBefore = 0 } = prompt;
  if (typeof data === 'string') measureMedia(readAudio({ data }), prompt);
  if (isAbsent(id) || id === '') return;
  const seconds = prompt.audioSeconds - heldBefore;
  const knownSeconds = (prompt.knownSeconds ?? 0) - knownBefore;
  prompt.spoken ??= [];
  if (prompt.spoken.length >= limits.spokenMax) throw refuse(`${at}.id`, TOO_MANY_SPOKEN);
  prompt.spoken.push({ id: textOf(id) ?? null, at: `${at}.id`, tokens: null, seconds, knownSeconds });
  prompt.sizedByVendor = true;
}

const TOO_MANY_SPOKEN = atMost(limits.spokenMax, '段此前的音频', 'sounds of earlier answers');

/** What vendors add: by the media that it carries and the words beside them, else by all of its bytes. */
function measureAdded(part: JsonObject, prompt: PromptSize): void {
  const reading = readRaw(part);
  const { media, rest } = reading;
  measureRaw(prompt, reading, lookIn(part));
  const before = prompt.textBytes;
  for (const word of addedWords(part)) addText(prompt, word);
  const wordBytes = prompt.textBytes - before;
  const text = JSON.stringify(rest);
  if (NOT_HERE.test(text)) markUnseen(prompt);
  if (media.length > 0) return;
  // A medium that is not seen is not here.
  const place = placeOf(textOf(part.type));
  if (place !== undefined && place !== 'file') markUnseen(prompt);
  prompt.files++;
  prompt.fileBytes += Buffer.byteLength(text) - wordBytes;
  const documents = documentsIn(part);
  if (documents.length === 0) countMedium(prompt);
  for (const document of documents) measureDocument(prompt, document);
}

/** Where no medium is found, what looks like one counts as a file. */
function addedWords(part: JsonObject): string[] {
  const { media, rest } = readRaw(part);
  return media.length > 0 ? wordsIn(rest, () => false) : wordsIn(part, isNoText);
}

/** How PDFs and what is packed as ZIP (the files of offices) begin in base64. */
const DOCUMENT = /^(JVBER|UEsDB)/;

/** Documents that stand somewhere in a part of a type that is not known. */
function documentsIn(value: unknown): string[] {
  if (typeof value === 'string') return DOCUMENT.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(documentsIn);
  return isObject(value) ? Object.values(value).flatMap(documentsIn) : [];
}

const LABELS = new Set(['type', 'format', 'detail', 'mime_type', 'media_type', 'mimeType']);

/** A label is one word: whatever else stands in its place may be several. */
const isLabel = (name: string, value: unknown): boolean =>
  name === 'cache_control'
    ? isObject(value)
    : LABELS.has(name) && typeof value === 'string' && value.length <= NAME_CHARS;

/** No part has longer ones in all. */
const LABELS_FREE_CHARS = 256;

/** Everything in a part that vendors add which may be words. */
function wordsIn(part: JsonObject, isOther: (text: string, field: string) => boolean): string[] {
  const words: string[] = [];
  let labels = '';
  const add = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      if (value !== '' && !isOther(value, name)) words.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) add(item, name);
    } else if (isObject(value)) {
      for (const [inner, held] of Object.entries(value)) {
        if (inner.length > NAME_CHARS) words.push(inner);
        if (!isLabel(inner, held)) add(held, inner);
        else if (typeof held === 'string') labels += `${held} `;
      }
    }
  };
  add(part, '');
  if (labels.length > LABELS_FREE_CHARS) words.push(labels);
  return words;
}

/** An address that is no data, or a file that the service keeps. */
const NOT_HERE = /:\/\/|"(\w*_)?ids?":/i;

function checkAddresses(part: JsonObject): void {
  for (const field of ADDRESS_FIELDS) {
    const check = WEB_FIELDS.has(field) ? checkWebAddress : checkAddress;
    for (const address of addressesAt(part[field])) check(address, field);
  }
}

/** Those made for addresses; the others may have names of files that the service keeps. */
const WEB_FIELDS = new Set(['image_url', 'video_url', 'audio_url', 'document_url', 'file_url']);

/** Alone, in lists, and by their names in objects. */
function addressesAt(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(addressesAt);
  return isObject(value) ? ADDRESS_NAMES.flatMap((name) => addressesAt(value[name])) : [];
}

function toolTexts({ tools, functions, response_format }: JsonObject): string[] {
  const texts: string[] = [];
  for (const value of [tools, functions, response_format]) {
    if (!isAbsent(value)) texts.push(JSON.stringify(value));
  }
  return texts;
}

function toolSize(body: JsonObject): ToolPart {
  if (!isAbsent(body.tools) && !Array.isArray(body.tools)) throw refuse('tools', wrong.array);
  for (const field of ['tools', 'functions']) boundedIn(body[field], field);
  return sizeOfTools(toolTexts(body));
}

/** The texts of a prompt that `readRequestFacts` has accepted, for a local count. */
export const promptTexts = (body: JsonObject): string[] => [
  ...readMessages(body).flatMap(messageTexts),
  ...toolTexts(body),
];

/** The operator's text in front of the caller's messages; before a system message of the caller's only with `override`. */
export function addSystem(body: JsonObject, text: string, override: boolean): JsonObject {
  const messages = readMessages(body);
  const has = messages.some(({ role }) => role === 'system' || role === 'developer');
  if (has && !override) return body;
  return { ...body, messages: [{ role: 'system', content: text }, ...messages] };
}
