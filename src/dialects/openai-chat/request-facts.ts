/** What the relay must know of a Chat Completions request, with every bound that is checked before anything else happens. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { ADDRESSES } from '../account.ts';
import { checkToolLimits } from '../asked-tools.ts';
import {
  answeredNow,
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
import type { PromptSize, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import { ADDRESS_FIELDS, ADDRESS_NAMES } from '../gateway-fields.ts';
import { lookIn, mark, markedLife, measureDocument, measureSource, mediaText } from '../measure.ts';
import { audioType, checkAddress, sourceIn } from '../media.ts';
import { holdsFilmAddress, type MediaPlace } from '../media-kind.ts';
import type { ImagePart, MediaSource } from '../neutral.ts';
import { NONE, otherTexts } from '../other-texts.ts';
import { addText, sizeOfTools } from '../text-size.ts';
import { DETAIL } from './reads.ts';
import { limitField } from './request.ts';

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
  mark(prompt, markedLife(body));
  for (const tool of objectsOf(body.tools)) mark(prompt, markedLife(tool));
  for (const message of readMessages(body)) {
    prompt.messages++;
    mark(prompt, markedLife(message));
    for (const text of saidIn(message)) addText(prompt, text);
    if (Array.isArray(message.content)) for (const part of message.content) measurePart(part, prompt);
    measureImages(message.images, prompt);
    measureSpoken(message.audio, prompt);
  }
  if (PIXEL_WISHES.some((name) => !isAbsent(body[name]))) {
    prompt.images = prompt.images.map((image) => ({ ...image, detail: 'original' }));
  }
  return prompt;
}

/** Qwen's models, and those of vLLM, look at all pictures as closely as these say. */
const PIXEL_WISHES = ['vl_high_resolution_images', 'mm_processor_kwargs'] as const;

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
  ...[...objectsOf(message.content), ...objectsOf(message.images)].flatMap(mediaTexts),
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
  return [...texts, ...detailsOf(message)];
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

function measurePart(part: unknown, prompt: PromptSize): void {
  if (!isObject(part)) return;
  mark(prompt, markedLife(part as JsonObject));
  checkAddresses(part);
  switch (part.type) {
    case 'text':
    case 'refusal':
      return;
    case 'image_url': {
      const { url, detail } = isObject(part.image_url) ? part.image_url : { url: part.image_url };
      measureSource(
        prompt,
        sourceIn(url, 'image/png'),
        'image',
        lookIn(part as JsonObject, detailOf(detail)),
      );
      return;
    }
    case 'input_audio': {
      const sound = isObject(part.input_audio) ? part.input_audio : {};
      measureSource(prompt, soundIn(sound), 'audio', lookIn(part as JsonObject));
      return;
    }
    default:
      measureOther(part, prompt);
  }
}

/** What a part of another kind says beside its media, and the media that are text. */
function mediaTexts(part: JsonObject): string[] {
  const { type, image_url: image, input_audio: audio } = part;
  if (type === 'text' || type === 'refusal') return [];
  if (type === 'image_url') {
    return mediaText(sourceIn(isObject(image) ? image.url : image, 'image/png'), 'image');
  }
  if (type === 'input_audio') return isObject(audio) ? mediaText(soundIn(audio), 'audio') : [];
  return [
    ...wordsIn(part),
    ...inlineIn(part).flatMap(({ source, place, name }) => mediaText(source, place, name)),
  ];
}

/** A field of an assistant's message, in which earlier answers have their pictures: as parts, or as Ollama has them. */
function measureImages(images: unknown, prompt: PromptSize): void {
  for (const image of Array.isArray(images) ? images : [images]) {
    if (typeof image === 'string') measureSource(prompt, sourceIn(image, 'image/png'), 'image');
    else measurePart(image, prompt);
  }
}

/** A field of an assistant's message, in which earlier answers have their sound: itself, or the service's name for it. */
function measureSpoken(audio: unknown, prompt: PromptSize): void {
  if (!isObject(audio)) return;
  if (typeof audio.data === 'string') measureSource(prompt, sourceIn(audio.data, 'audio/wav'), 'audio');
  else prompt.addressed = true;
}

const soundIn = ({ data, format }: Record<string, unknown>): MediaSource =>
  sourceIn(data, audioType(typeof format === 'string' ? format : 'wav'));

const detailOf = (detail: unknown): ImagePart['detail'] => oneOf(detail, ['low', 'high', 'auto', 'original']);

/** Files, films and whatever vendors add: by the data that it carries, the words beside them, else by all of its bytes. */
function measureOther(part: Record<string, unknown>, prompt: PromptSize): void {
  const text = JSON.stringify(part);
  if (NOT_HERE.test(text)) prompt.unseen = true;
  if (holdsFilmAddress(text)) prompt.unseenFilm = true;
  const before = prompt.textBytes;
  for (const word of wordsIn(part)) addText(prompt, word);
  const wordBytes = prompt.textBytes - before;
  const inline = inlineIn(part);
  const look = lookIn(part as JsonObject);
  for (const { source, place, name } of inline) measureSource(prompt, source, place, { ...look, name });
  if (inline.length > 0) return;
  prompt.files++;
  prompt.fileBytes += Buffer.byteLength(text) - wordBytes;
  for (const document of documentsIn(part)) measureDocument(prompt, document);
}

/** How PDFs and what is packed as ZIP (the files of offices) begin in base64. */
const DOCUMENT = /^(JVBER|UEsDB)/;

/** Documents that stand somewhere in a part of a type that is not known. */
function documentsIn(value: unknown): string[] {
  if (typeof value === 'string') return DOCUMENT.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(documentsIn);
  return isObject(value) ? Object.values(value).flatMap(documentsIn) : [];
}

/** Fields that hold bytes without an address as well, and what those are; a film may be a list of its pictures. */
const BARE: Readonly<Record<string, readonly [MediaPlace, mediaType: string]>> = {
  image: ['image', 'image/png'],
  images: ['image', 'image/png'],
  video: ['video', 'video/mp4'],
};
const FRAME = BARE.image;
/** Fields of films by address. */
const FILMS: ReadonlySet<string> = new Set(['video_url', 'input_video']);

interface Inline {
  source: MediaSource;
  place: MediaPlace;
  /** Of its file. */
  name: string | undefined;
}

/** The media of a part that are here. */
const inlineIn = (part: Record<string, unknown>): Inline[] => {
  const name = textOf(part.filename) ?? textOf(objectOf(part.file)?.filename);
  return ADDRESS_FIELDS.flatMap((field) => {
    const bare = Array.isArray(part[field]) && field === 'video' ? FRAME : BARE[field];
    const [place, mediaType] = bare ?? [FILMS.has(field) ? 'video' : 'file', ''];
    return addressesAt(part[field]).flatMap((given) =>
      /^data:/i.test(given) || (bare && !IS_ADDRESS.test(given))
        ? [{ source: sourceIn(given, mediaType), place, name }]
        : [],
    );
  });
};

/** Media in a part, and what they are called: no words, as long as they look like it. */
const MEDIA = new Set(
  [...Object.keys(ADDRESSES), 'b64_json', 'base64', 'bytes', 'input_audio', 'input_video'].filter(
    (name) => name !== 'content' && name !== 'text',
  ),
);
const IS_ADDRESS = /^[a-z][a-z0-9+.-]{0,15}:\S*$/i;
const IS_BASE64 = /^[a-z0-9+/]*={0,2}$/i;
/** One letter of base64 in 32 is no letter or figure; between words there would be more. */
const LETTERS_A_MARK = 12;
const LABELS = new Set(['type', 'format', 'detail', 'mime_type', 'media_type', 'mimeType', 'cache_control']);

const isMedium = (text: string): boolean =>
  IS_ADDRESS.test(text) ||
  (IS_BASE64.test(text) && text.replace(/[^+/]/g, '').length * LETTERS_A_MARK <= text.length);

const NAME_CHARS = 64;

/** Everything in a part of a type that is not known which may be words. */
function wordsIn(part: Record<string, unknown>): string[] {
  const words: string[] = [];
  const add = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      if (value !== '' && !(MEDIA.has(name) && isMedium(value))) words.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) add(item, name);
    } else if (isObject(value)) {
      for (const [inner, held] of Object.entries(value)) {
        if (inner.length > NAME_CHARS) words.push(inner);
        if (!LABELS.has(inner)) add(held, inner);
      }
    }
  };
  add(part, '');
  return words;
}

/** An address that is no data, or a file that the service keeps. */
const NOT_HERE = /:\/\/|"(\w*_)?ids?":/i;

function checkAddresses(part: Record<string, unknown>): void {
  for (const field of ADDRESS_FIELDS)
    for (const address of addressesAt(part[field])) checkAddress(address, field);
}

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

function toolSize(body: JsonObject): Pick<PromptSize, 'toolBytes' | 'toolDense'> {
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
