/** What a prompt of the neutral model holds, measured for the reservation, and its texts for a local count. */

import {
  lengthsOf,
  type SoundSeconds,
  soundSeconds,
  usualFilmSeconds,
} from '../core/audio-length/audio-length.ts';
import { CallersMap } from '../core/callers-keys.ts';
import { fail } from '../core/errors.ts';
import { imageSizeOf } from '../core/image-size.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { MeasuringBudget } from '../core/measuring-budget.ts';
import { pdfSize } from '../core/pdf-size.ts';
import { bytesOfBase64, firstDigits, textBytesOfBase64, textOfBase64 } from './base64.ts';
import { atMost, callNameIn, integerIn } from './bounds.ts';
import type { PromptSize } from './dialect.ts';
import { textOf } from './fields.ts';
import {
  isDocument,
  isFilmAddress,
  isNoAddress,
  isPictureAddress,
  kindsOfMedia,
  type MediaPlace,
  NOT_FETCHED,
} from './media-kind.ts';
import type { ChatRequest, ImagePart, MediaSource, Part } from './neutral.ts';
import { addSealed, holdsSealed, unsealed } from './proofs.ts';
import { checkLooks, type RawMedia, type RawMedium, readRaw } from './raw-parts.ts';
import { resultInWords } from './result-words.ts';
import { addEncodedText, addText, sizeOfTools, type ToolPart } from './text-size.ts';
import { longestTold } from './tool-names.ts';

/** `at`: the field in which its wire has what was said. */
export function measureChat(request: ChatRequest, at: string): PromptSize {
  const prompt: PromptSize = {
    textBytes: 0,
    messages: request.messages.length,
    ...measureTools(request),
    images: [],
    audioSeconds: 0,
    files: 0,
    fileBytes: 0,
  };
  const names = namesIn(request, at);
  for (const message of request.messages) {
    for (const part of message.parts) {
      for (const text of saidIn(part)) addText(prompt, text);
      for (const name of calledIn(part, names)) addText(prompt, name);
      addSealed(prompt, part);
      measureMedia(part, prompt);
    }
  }
  return prompt;
}

/** What comes to what is said in a part by the names of tools: as others may be told them. */
function calledIn(part: Part, names: CallNames): string[] {
  if (part.type === 'tool-call') return [longestTold(part.name).slice(part.name.length)];
  if (part.type !== 'tool-result') return [];
  return [part.name === undefined ? names.of(part.id) : longestTold(part.name)];
}

function namesIn({ messages }: ChatRequest, at: string): CallNames {
  const names = new CallNames();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') names.note(part.id, part.name, at);
  }
  return names;
}

/** What is called, by the ids of the calls: some wires say it again with each result. What is no text is one id. */
export class CallNames {
  readonly #names = new CallersMap<string>();

  /** Which of two calls of one id counts is for each wire to say: the longer name holds. `at` is where it stands. */
  note(id: unknown, name: unknown, at: string): void {
    const called = longestTold(callNameIn(name, at) ?? '');
    if (called.length > this.of(id).length) this.#names.set(textOf(id) ?? '', called);
  }

  of(id: unknown): string {
    return this.#names.get(textOf(id) ?? '') ?? '';
  }
}

export const chatTexts = (request: ChatRequest): string[] => [
  ...request.messages.flatMap(({ role, parts }) => [role, ...parts.flatMap(partTexts)]),
  ...toolTexts(request),
];

/** Everything in a part that the model reads as text. */
const partTexts = (part: Part): string[] =>
  part.type === 'tool-result'
    ? [part.id, ...resultInWords(part).flatMap(partTexts)]
    : [...saidIn(part), ...mediaTexts(part)];

/** What its media say that are texts. */
export function mediaTexts(part: Part): string[] {
  if (part.type === 'raw') return rawTexts(readRaw(part.value).media);
  return 'source' in part ? mediaText(part.source, placeIn(part), nameOf(part)) : [];
}

/** The same without media, whose bytes tell as much. */
const saidIn = (part: Part): string[] => [...spokenIn(part), ...unsealed(part)];

function spokenIn(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.text];
    case 'thinking':
      return [part.text, part.encrypted ?? ''];
    case 'tool-call':
      return [part.id, part.name, part.input];
    case 'tool-result':
      return [part.id, ...resultInWords(part).flatMap(saidIn)];
    case 'raw':
      return [JSON.stringify(readRaw(part.value).rest)];
    default:
      return [];
  }
}

/** A medium that may be read as text, as text; nothing for any other. */
export const mediaText = (source: MediaSource, place: MediaPlace, name?: string): string[] =>
  source.kind === 'data' && kindsOfMedia(source, place, name).has('text') ? [textOfBase64(source.data)] : [];

/** Its tools, and the schema of its answer. */
export const measureTools = (request: Pick<ChatRequest, 'tools' | 'responseFormat'>): ToolPart =>
  sizeOfTools(toolTexts(request));

/** Tools that stand elsewhere are measured there, but for how much longer others are told their names. */
function toolTexts({ tools, responseFormat }: Pick<ChatRequest, 'tools' | 'responseFormat'>): string[] {
  const texts = tools.flatMap((tool) => {
    if (!tool.holder) return [JSON.stringify('raw' in tool ? tool.raw.value : tool)];
    const { called } = tool.holder;
    return called && 'name' in tool ? [tool.name.slice(0, -called.name.length)] : [];
  });
  return responseFormat?.type === 'schema' ? [...texts, JSON.stringify(responseFormat.schema)] : texts;
}

/** The media of a part; its texts are measured with those of all others. */
export function measureMedia(part: Part, prompt: PromptSize): void {
  switch (part.type) {
    case 'image':
      measureSource(prompt, part.source, 'image', lookIn(part.extra, part.detail));
      break;
    case 'audio':
      measureSource(prompt, part.source, 'audio', lookIn(part.extra));
      break;
    case 'file':
      measureSource(prompt, part.source, placeIn(part), { ...lookIn(part.extra), name: part.filename });
      break;
    case 'raw': {
      const reading = readRaw(part.value);
      const rest = JSON.stringify(reading.rest);
      if (FILE_ID.test(rest)) prompt.unseen = true;
      if (holdsSealed(rest)) prompt.sizedByVendor = true;
      measureRaw(prompt, reading, lookIn(part.value));
      break;
    }
    case 'tool-result':
      for (const inner of part.content) measureMedia(inner, prompt);
      break;
    default:
  }
}

/** Media of whatever is known of no wire. */
export function measureRaw(prompt: PromptSize, { media, looks }: RawMedia, look: Look = {}): void {
  const budget = budgetOf(prompt);
  budget.looks += looks;
  checkLooks(budget.looks);
  for (const { source, place, name } of media) measureSource(prompt, source, place, { ...look, name });
}

export const rawTexts = (media: readonly RawMedium[]): string[] =>
  media.flatMap(({ source, place, name }) => mediaText(source, place, name));

/** A file that the service keeps, in whatever only one dialect knows. */
const FILE_ID = /"file_ids?":/;

/** How its wire calls the place of a medium. */
const placeIn = (part: Extract<Part, { source: MediaSource }>): MediaPlace =>
  part.type === 'file' && part.isFilm ? 'video' : part.type;

/** What a file is called, where a part has a name for it. */
export const nameOf = (part: Part): string | undefined => ('filename' in part ? part.filename : undefined);

/** How closely media are looked at, and what their file is called. */
export interface Look {
  name?: string;
  detail?: ImagePart['detail'];
  /** Frames a second of a film: one, where nothing is said. */
  fps?: number;
  /** As many tokens as it is asked to be made of. */
  tokens?: number;
}

/** What a part asks for, in the words of any wire. */
export const lookIn = (part: JsonObject | undefined, detail?: ImagePart['detail']): Look => ({
  detail: part && PIXELS.some((name) => part[name] !== undefined) ? 'original' : detail,
  fps: fpsIn(part),
  tokens: tokensIn(part),
});

/** Qwen's: a small picture can be made as large as a large one. */
const PIXELS = ['min_pixels', 'max_pixels', 'total_pixels'] as const;

/** No service looks at more frames a second; what is no rate that it takes is held as this one. */
export const FPS_MOST = 24;

/**
 * How many frames a second of its film a part asks for (Gemini's `videoMetadata.fps`, and `fps` wherever other wires keep
 * it), but at least one: of that wish nothing is left where a request goes on in other words.
 */
function fpsIn(part: Json | undefined): number {
  if (Array.isArray(part)) return part.reduce<number>((most, each) => Math.max(most, fpsIn(each)), 1);
  if (!isObject(part)) return 1;
  return Object.entries(part as JsonObject).reduce(
    (most, [name, value]) => Math.max(most, name === 'fps' ? fpsOf(value) : fpsIn(value)),
    1,
  );
}

function fpsOf(value: Json | undefined): number {
  if (value === null || value === undefined) return 1;
  return typeof value === 'number' && value > 0 && value <= FPS_MOST ? value : FPS_MOST;
}

/** What is asked for beyond that is no wish: no model of Google's reads more at once. */
const TOKENS_MOST = 1_048_576;

/** Gemini's `mediaResolution.numTokens`, by any spelling. */
function tokensIn(part: JsonObject = {}): number | undefined {
  let most: number | undefined;
  for (const [name, resolution] of Object.entries(part)) {
    if (!/^media_?resolution$/i.test(name) || !isObject(resolution)) continue;
    for (const [field, value] of Object.entries(resolution)) {
      if (!/^num_?tokens$/i.test(field)) continue;
      const asked = integerIn(value, `${name}.${field}`, 1, TOKENS_MOST);
      if (asked !== null) most = Math.max(most ?? 0, asked);
    }
  }
  return most;
}

/** Measures media by all that they may be; `place` is what the wire takes them for. Every dialect's go through here. */
export function measureSource(
  prompt: PromptSize,
  source: MediaSource,
  place: MediaPlace,
  { detail, fps = 1, name, tokens }: Look = {},
): void {
  countMedium(prompt);
  if (source.kind !== 'data') {
    measureElsewhere(prompt, source, place, { detail, fps, tokens });
    return;
  }
  const bytes = Math.ceil((source.data.length * 3) / 4);
  if (source.data.includes(',')) {
    // Base64 has none: they are the pictures of a film, one behind another, as vLLM takes them.
    prompt.unseenFilm = true;
    addFile(prompt, bytes);
    return;
  }
  const kinds = kindsOfMedia(source, place, name);
  if (kinds.has('text')) addEncodedText(prompt, textBytesOfBase64(source.data), bytes);
  if (kinds.has('image')) addPicture(prompt, source.data, { detail, tokens });
  if (kinds.has('audio') || kinds.has('video')) {
    const lengths = lengthsOf(bytesOfBase64(source.data), budgetOf(prompt));
    if (kinds.has('audio')) addSound(prompt, soundSeconds(lengths, bytes, source.mediaType));
    if (kinds.has('video')) addFilm(prompt, lengths.film, bytes, fps);
  }
  if (kinds.has('file')) sizeDocument(prompt, source.data);
  if (kinds.has('video') || kinds.has('file')) {
    addFile(prompt, bytes);
    // Of each page or frame, or of all together: nobody says.
    if (tokens) prompt.unsized = true;
  }
}

function addFile(prompt: PromptSize, bytes: number): void {
  prompt.files++;
  prompt.fileBytes += bytes;
}

function addSound(prompt: PromptSize, { held, known }: SoundSeconds): void {
  prompt.audioSeconds += held;
  prompt.knownSeconds = (prompt.knownSeconds ?? 0) + known;
}

function addFilm(prompt: PromptSize, told: number | null, bytes: number, fps: number): void {
  if (told === null) prompt.unseenFilm = true;
  const seconds = told ?? usualFilmSeconds(bytes);
  prompt.videoSeconds = (prompt.videoSeconds ?? 0) + seconds;
  prompt.videoFrames = (prompt.videoFrames ?? 0) + seconds * fps;
}

/** Refuses more of them than any call has. */
export function countMedium(prompt: PromptSize): void {
  if (++budgetOf(prompt).media > limits.mediaMax)
    throw fail('invalid_request', { params: { reason: TOO_MANY } });
}

const TOO_MANY = atMost(limits.mediaMax, '个图片、音频和文件', 'images, sounds and files');

/** One whose bytes are counted elsewhere. */
export function measureDocument(prompt: PromptSize, base64: string): void {
  countMedium(prompt);
  sizeDocument(prompt, base64);
}

/** A file that is packed can be of any length; only of usual PDFs it is told how many pages they have. */
function sizeDocument(prompt: PromptSize, base64: string): void {
  const size = pdfSize(Buffer.from(base64, 'base64'), budgetOf(prompt));
  if (!size) prompt.unsized = true;
  else {
    prompt.pages = (prompt.pages ?? 0) + size.pages;
    prompt.shownBytes = (prompt.shownBytes ?? 0) + size.shownBytes;
  }
}

/**
 * What only the upstream can size. A picture's address is that of a picture as a rule, and is held as one, unless it is
 * to be looked at several times a second.
 */
function measureElsewhere(
  prompt: PromptSize,
  source: MediaSource,
  place: MediaPlace,
  { detail, fps = 1, tokens }: Look,
): void {
  // Nobody could size it or fetch it: what is wrong with it is told before anything is held.
  if (isNoAddress(source)) throw fail('invalid_request', { params: { reason: NOT_FETCHED } });
  const isFilm = place === 'video' || isFilmAddress(source) || fps > 1;
  if (isFilm) prompt.unseenFilm = true;
  else if (isPictureAddress(source, place)) {
    addPicture(prompt, '', { detail, tokens });
    return;
  }
  prompt.files++;
  if (isFilm || isDocument(source, place)) prompt.unseen = true;
  else markUnseen(prompt);
}

/** There is something elsewhere of which nothing tells what it is. */
export function markUnseen(prompt: PromptSize): void {
  prompt.unseen = true;
  prompt.unseenKind = true;
}

/** One for all that a prompt holds. */
const budgets = new WeakMap<PromptSize, MeasuringBudget>();

function budgetOf(prompt: PromptSize): MeasuringBudget {
  const budget = budgets.get(prompt) ?? new MeasuringBudget();
  budgets.set(prompt, budget);
  return budget;
}

/** The part of a prompt that is measured apart, within what is looked at of the whole. */
export function partOf(whole: PromptSize, part: PromptSize): PromptSize {
  budgets.set(part, budgetOf(whole));
  return part;
}

/** Enough of an image's base64 for its size. */
const HEAD_CHARS = 88_000;

function addPicture(prompt: PromptSize, base64: string, { detail = 'auto', tokens }: Look): void {
  prompt.sizedByVendor = true;
  const size = imageSizeOf(`data:,${firstDigits(base64, HEAD_CHARS)}`, budgetOf(prompt));
  prompt.images.push({ detail, ...size, ...(tokens && { tokens }) });
}
