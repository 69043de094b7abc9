/**
 * Items of the Responses wire into parts: what a caller sends as input and what a model gives as output are the same
 * items. Each part keeps the fields of its item that mean nothing elsewhere, so that the item can be put together again.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { isDigits } from '../base64.ts';
import { isCarried, uncarry } from '../carried.ts';
import { compact, FieldTaker, fieldsBut, hasFields, objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import { checkWebAddress, fileIn, filmIn, pictureIn, schemeOf, sourceIn, typeOfName } from '../media.ts';
import { DETAILS, fileAt, keptFile, type Sources, soundPart, sourceAt } from '../media-fields.ts';
import type {
  AudioPart,
  Citation,
  FilePart,
  ImagePart,
  Part,
  RawPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '../neutral.ts';
import { nameWithin } from './tools.ts';
import { MADE_REASONING_ID } from './write-parts.ts';

export const rawPart = (value: JsonObject): RawPart => ({ type: 'raw', dialect: 'openai-responses', value });

/** The parts of an item that a model gave. A reasoning item without content or proof has none. */
export function readOutputItem(item: JsonObject): Part[] {
  switch (item.type) {
    case 'message':
      return readContent(item.content, itemFields(item));
    case 'reasoning':
      return readReasoning(item);
    case 'function_call':
    case 'custom_tool_call':
      return [readCall(item)];
    case 'image_generation_call':
      return [readDrawing(item)];
    case 'additional_tools':
      return [{ ...rawPart(item), isOpened: true }];
    default:
      return [rawPart(item)];
  }
}

/** The fields of an item beside what its parts hold. */
export const itemFields = (item: JsonObject): JsonObject =>
  fieldsBut(item, item.type === 'reasoning' ? REASONING_FIELDS : MESSAGE_FIELDS);

const MESSAGE_FIELDS = new Set(['content', 'role']);
const REASONING_FIELDS = new Set(['type', 'id', 'summary', 'content', 'encrypted_content']);

// ---- Messages ----------------------------------------------------------------------------------------------------

/** The parts of a message's content. `item` goes along with each of an assistant, to tell its items apart. */
export function readContent(content: unknown, item?: JsonObject): Part[] {
  if (typeof content === 'string') {
    return content === '' ? [] : [compact({ type: 'text', text: content, extra: item && { item } })];
  }
  if (!Array.isArray(content)) return [];
  return content.flatMap((given) => {
    const part = typeof given === 'string' ? { type: 'input_text', text: given } : objectOf(given);
    return part ? readPart(part, item) : [];
  });
}

function readPart(part: JsonObject, item: JsonObject | undefined): Part {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return readText(part, item);
    case 'refusal':
      return compact({ type: 'refusal', text: textOf(part.refusal) ?? '', extra: item && { item } });
    case 'input_image':
      return readImage(part) ?? rawPart(part);
    case 'input_file':
      return readFile(part) ?? rawPart(part);
    case 'input_audio':
      return readAudio(part) ?? rawPart(part);
    case 'input_video':
      return readVideo(part) ?? rawPart(part);
    default:
      return rawPart(part);
  }
}

function readText(part: JsonObject, item: JsonObject | undefined): TextPart {
  const { text, ...extra } = part;
  const citations = objectsOf(part.annotations).map(readAnnotation);
  return compact({
    type: 'text',
    text: textOf(text) ?? '',
    citations: citations.length > 0 ? citations : undefined,
    extra: compact({ ...extra, item }),
  });
}

export function readAnnotation(annotation: JsonObject): Citation {
  const { start_index: start, end_index: end } = annotation;
  return compact({
    kind: annotation.type === 'url_citation' ? 'url' : 'file',
    url: textOf(annotation.url),
    title: textOf(annotation.title) ?? textOf(annotation.filename),
    start: typeof start === 'number' ? start : undefined,
    end: typeof end === 'number' ? end : undefined,
    raw: { dialect: 'openai-responses', value: annotation },
  });
}

export const IMAGE_SOURCES: Sources = {
  image_url: (url) => pictureIn(url, 'image_url'),
  file_id: keptFile,
};
export const FILE_SOURCES: Sources = {
  file_data: sourceIn,
  // The name is that of bytes.
  file_url: (url) => fileIn(url, typeOfName(url), 'file_url'),
  file_id: keptFile,
};

function readImage(part: JsonObject): ImagePart | undefined {
  const fields = new FieldTaker(part);
  fields.text('type');
  const source = sourceAt(fields, IMAGE_SOURCES, '');
  return (
    source &&
    compact<ImagePart>({
      type: 'image',
      source,
      detail: fields.take('detail', (value) => oneOf(value, DETAILS)),
      extra: fields.rest,
    })
  );
}

function readFile(part: JsonObject): FilePart | undefined {
  const fields = new FieldTaker(part);
  fields.text('type');
  const filename = fields.text('filename');
  const source = fileAt(fields, FILE_SOURCES, filename);
  return source && compact<FilePart>({ type: 'file', source, filename, extra: fields.rest });
}

/** Volcano's clients name the address of a sound beside the object in which others have its bytes. */
function readAudio(part: JsonObject): AudioPart | undefined {
  const { type: _, input_audio, audio_url, ...extra } = part;
  const audio = objectOf(input_audio);
  const url = textOf(audio_url);
  if (url !== undefined) checkWebAddress(url, 'audio_url');
  const data = textOf(audio?.data) ?? url;
  if (data === undefined) return undefined;
  return soundPart(data, textOf(audio?.format), extra);
}

/** Volcano's films. */
function readVideo(part: JsonObject): FilePart | undefined {
  const { type: _, video_url, ...extra } = part;
  const given = objectOf(video_url);
  const url = textOf(given?.url ?? video_url);
  if (url === undefined) return undefined;
  const { url: __, ...more } = given ?? {};
  const kept = compact({ ...extra, video_url: hasFields(more) ? more : undefined });
  return compact<FilePart>({
    type: 'file',
    source: filmIn(url, 'video_url'),
    isFilm: true,
    extra: hasFields(kept) ? kept : undefined,
  });
}

// ---- Reasoning ---------------------------------------------------------------------------------------------------

/** A part for each piece of the summary and of the reasoning itself; the proof of the item stands at the last. */
function readReasoning(item: JsonObject): ThinkingPart[] {
  const proof = readProof(item);
  const said = [
    // Other makers' reasoning stands in the summary because that is what clients show.
    ...objectsOf(item.summary).map((piece) => ({
      text: textOf(piece.text) ?? '',
      ...(proof.origin === 'openai-responses' && { summary: true }),
    })),
    ...objectsOf(item.content).map((piece) => ({ text: textOf(piece.text) ?? '' })),
  ];
  if (said.length === 0) return hasProof(proof) ? [{ type: 'thinking', text: '', ...proof }] : [];
  const { signature: _s, encrypted: _e, ...shared } = proof;
  return said.map((piece, at) => ({
    type: 'thinking',
    ...piece,
    ...(at === said.length - 1 ? proof : shared),
  }));
}

export type Proof = Pick<ThinkingPart, 'signature' | 'encrypted' | 'id' | 'origin' | 'summary' | 'extra'>;

/** Whose reasoning an item is, and what proves it. Another maker's proof travels in the encrypted content. */
export function readProof(item: JsonObject): Proof {
  const encrypted = textOf(item.encrypted_content);
  if (isCarried(encrypted)) return uncarry(encrypted ?? '', 'openai-responses');
  return compact({
    origin: 'openai-responses',
    id: textOf(item.id),
    encrypted,
    // Also tells which pieces stood in one item.
    extra: { item: itemFields(item) },
  });
}

export const hasProof = ({ signature, encrypted }: Proof): boolean =>
  signature !== undefined || (encrypted !== undefined && encrypted !== '');

/** Reasoning of another maker, which answers of this gateway left in the history: the service knows no such item. */
export const isForeign = (value: unknown): boolean => {
  if (!isObject(value) || value.type !== 'reasoning') return false;
  return isCarried(value.encrypted_content) || (textOf(value.id) ?? '').startsWith(MADE_REASONING_ID);
};

// ---- Calls -------------------------------------------------------------------------------------------------------

const CALL_FIELDS = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'input']);

export function readCall(item: JsonObject): ToolCallPart {
  const custom = item.type === 'custom_tool_call';
  const input = custom ? item.input : item.arguments;
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  const name = textOf(item.name) ?? '';
  const namespace = textOf(item.namespace);
  const extra = { ...fieldsBut(item, CALL_FIELDS), ...(namespace !== undefined && { name }) };
  return compact({
    type: 'tool-call',
    id: textOf(item.call_id) ?? textOf(item.id) ?? '',
    name: nameWithin(namespace)(name),
    input: custom || text !== '' ? text : '{}',
    kind: custom ? 'custom' : 'function',
    itemId: textOf(item.id),
    extra: hasFields(extra) ? extra : undefined,
  });
}

/** A drawing that is not done yet, or that the caller only names by its id, stays as it is. */
function readDrawing(item: JsonObject): Part {
  const { result, type: _type, ...extra } = item;
  if (typeof result !== 'string' || !isDrawn(result)) return rawPart(item);
  const format = textOf(item.output_format) ?? 'png';
  return {
    type: 'image',
    source: sourceIn(result, `image/${format}`),
    extra: { item: extra },
  };
}

/** Whether a result is bytes, as every drawing's is: an address of them is nobody's answer. */
export const isDrawn = (result: string): boolean => isDigits(result) || schemeOf(result)?.scheme === 'data';
