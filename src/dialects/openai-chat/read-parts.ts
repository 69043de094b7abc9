/** Message contents of the chat wire into parts: strings, lists of parts, what assistants say beside their content. */
import type { JsonObject } from '../../core/json.ts';
import { onceOf } from '../../core/once-of.ts';
import { lifeOf } from '../cache-life.ts';
import { compact, FieldTaker, hasFields, objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import { fileIn, filmIn, pictureIn, sourceIn } from '../media.ts';
import { DETAILS, fileAt, keptFile, type Sources, soundPart } from '../media-fields.ts';
import type {
  AudioPart,
  CacheMark,
  Citation,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  ToolCallPart,
} from '../neutral.ts';
import { readThinking } from './thinking-details.ts';

/** The parts of a `content` field; none for null. An empty string says nothing. */
export function readContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((item): Part[] => {
    if (typeof item === 'string') return [{ type: 'text', text: item }];
    const part = objectOf(item);
    return part ? readPart(part) : [];
  });
}

/** Its text is all that is read of it. */
export const isSaid = ({ type }: JsonObject): boolean => type === 'text' || type === 'refusal';

/**
 * What a part is where it is a medium in the words of this wire; null where it is not: of whatever else vendors add nobody
 * knows what it holds. To be looked at alone: what goes up is read anew.
 */
export const mediumOf = onceOf(
  (part: JsonObject): Readonly<MediaPart> | null => readPart(part).find((read) => 'source' in read) ?? null,
);

type MediaPart = Extract<Part, { source: MediaSource }>;

function readPart(part: JsonObject): Part[] {
  switch (part.type) {
    case 'text':
      return [readText(part)];
    case 'image_url':
      return [readImage(part) ?? raw(part)];
    case 'input_audio':
      return [readAudioInput(part) ?? raw(part)];
    case 'file':
      return [readFile(part) ?? raw(part)];
    case 'video_url':
      return [readVideo(part) ?? raw(part)];
    case 'refusal':
      return [{ type: 'refusal', text: textOf(part.refusal) ?? '' }];
    case 'thinking':
      return [readThinkingChunk(part)];
    default:
      return [raw(part)];
  }
}

const raw = (value: JsonObject): Part => ({ type: 'raw', dialect: 'openai-chat', value });

function readText(part: JsonObject): Part {
  const fields = new FieldTaker(part);
  fields.text('type');
  return compact({
    type: 'text',
    text: fields.text('text') ?? '',
    cache: fields.take('cache_control', readCache),
    extra: fields.rest,
  });
}

/** The address stands in an object or, at some clients, for itself. */
export function readImage(part: JsonObject): ImagePart | undefined {
  const fields = new FieldTaker(part);
  fields.text('type');
  const given = fields.take(
    'image_url',
    (value) => objectOf(value) ?? (textOf(value) ? { url: textOf(value) } : undefined),
  );
  if (!given) return undefined;
  const image = new FieldTaker(given);
  const url = image.text('url');
  if (url === undefined) return undefined;
  const detail = image.take('detail', (value) => oneOf(value, DETAILS));
  const cache = fields.take('cache_control', readCache);
  const extra = compact({ ...fields.rest, image_url: image.rest });
  return compact<ImagePart>({
    type: 'image',
    source: pictureIn(url, 'image_url'),
    detail,
    cache,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

/** Qwen's clients send an address or a data URL in the place of the bytes. */
function readAudioInput(part: JsonObject): AudioPart | undefined {
  const { type: _, input_audio, ...extra } = part;
  const given = objectOf(input_audio);
  const data = textOf(given?.data);
  if (data === undefined) return undefined;
  return soundPart(data, textOf(given?.format), extra);
}

function readFile(part: JsonObject): FilePart | undefined {
  const fields = new FieldTaker(part);
  fields.text('type');
  const given = fields.object('file');
  if (!given) return undefined;
  const file = new FieldTaker(given);
  const filename = file.text('filename');
  const source = fileAt(file, FILE_SOURCES, filename);
  if (!source) return undefined;
  const cache = fields.take('cache_control', readCache);
  const extra = compact({ ...fields.rest, file: file.rest });
  return compact<FilePart>({
    type: 'file',
    source,
    filename,
    cache,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

export const FILE_SOURCES: Sources = {
  file_data: sourceIn,
  file_url: (url, mediaType) => fileIn(url, mediaType, 'file_url'),
  file_id: keptFile,
};

function readVideo(part: JsonObject): FilePart | undefined {
  const fields = new FieldTaker(part);
  fields.text('type');
  const given = fields.take(
    'video_url',
    (value) => objectOf(value) ?? (textOf(value) ? { url: textOf(value) } : undefined),
  );
  const video = new FieldTaker(given ?? {});
  const url = video.text('url');
  if (url === undefined) return undefined;
  const cache = fields.take('cache_control', readCache);
  const extra = compact({ ...fields.rest, video_url: video.rest });
  return compact<FilePart>({
    type: 'file',
    source: filmIn(url, 'video_url'),
    isFilm: true,
    cache,
    extra: hasFields(extra) ? extra : undefined,
  });
}

/** Mistral's reasoning, which stands among the parts of the content. */
function readThinkingChunk(chunk: JsonObject): Part {
  return { type: 'thinking', text: chunkText(chunk), origin: 'openai-chat', extra: { content: true } };
}

export const chunkText = (chunk: JsonObject): string =>
  typeof chunk.thinking === 'string'
    ? chunk.thinking
    : objectsOf(chunk.thinking)
        .map((piece) => textOf(piece.text) ?? '')
        .join('');

/** A mark that says more than its life stays with the part's own fields. */
export function readCache(control: unknown): CacheMark | undefined {
  const mark = objectOf(control);
  if (mark?.type !== 'ephemeral') return undefined;
  return { ttl: lifeOf(mark.ttl) === 'hour' ? '1h' : '5m' };
}

// ---- What an assistant says --------------------------------------------------------------------------------------

/** Says of a part that it stood beside the content, in a field of its own. */
const BESIDE = { beside: true };

/** The parts of an assistant's message, of a history or an answer: thinking, content, refusal, sound, calls. */
export function readAssistant(message: JsonObject, idOfCall: (n: number) => string): Part[] {
  const parts: Part[] = [
    ...readThinking(reasoningText(message), message.reasoning_details),
    ...readContent(message.content),
  ];
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ type: 'refusal', text: message.refusal });
  }
  addCitations(parts, message.annotations);
  const audio = objectOf(message.audio);
  if (audio) parts.push({ ...readAudio(audio), extra: BESIDE });
  for (const image of imagesIn(message.images)) {
    const part = readImage(image);
    if (part) parts.push({ ...part, extra: { ...part.extra, ...BESIDE } });
  }
  let n = 0;
  for (const call of objectsOf(message.tool_calls).filter(isCallers))
    parts.push(readCall(call, idOfCall(n++)));
  const legacy = objectOf(message.function_call);
  if (legacy) {
    const call = readCall({ type: 'function', function: legacy }, idOfCall(n));
    parts.push({ ...call, extra: { function_call: true } });
  }
  return parts;
}

/** Vendors say reasoning in one of two fields; relays in both, and then it is the same. */
export const reasoningText = (said: JsonObject): string =>
  textOf(said.reasoning_content) || textOf(said.reasoning) || '';

export function readAudio(audio: JsonObject): AudioPart {
  const id = textOf(audio.id);
  const data = textOf(audio.data);
  return compact({
    type: 'audio',
    // A history names a sound by its id alone.
    source: data === undefined && id !== undefined ? { kind: 'file', id } : sourceIn(data ?? '', 'audio/wav'),
    format: 'wav',
    transcript: textOf(audio.transcript),
    id,
    expiresAt: typeof audio.expires_at === 'number' ? audio.expires_at : undefined,
  });
}

/** As parts, or as Ollama has them. */
export const imagesIn = (images: unknown): JsonObject[] =>
  objectsOf(
    (Array.isArray(images) ? images : [images]).map((image: unknown) =>
      typeof image === 'string' ? { type: 'image_url', image_url: image } : image,
    ),
  );

const CALL_FIELDS = ['id', 'index', 'type'];

/** Some vendors list what ran at their side among the calls: it is nobody's to answer. */
export const isCallers = ({ type, function: called, custom }: JsonObject): boolean =>
  objectOf(called) !== undefined || objectOf(custom) !== undefined || !VENDORS.test(textOf(type) ?? '');
const VENDORS = /^(?!function$|custom$)./;

function readCall(call: JsonObject, newId: string): ToolCallPart {
  const fields = new FieldTaker(call);
  for (const name of CALL_FIELDS) fields.take(name, (value) => value);
  const custom = fields.object('custom');
  const said = fields.object('function') ?? custom ?? {};
  const signature = thoughtSignature(call);
  if (signature !== undefined) fields.object('extra_content');
  const part: ToolCallPart = compact({
    type: 'tool-call',
    id: textOf(call.id) || newId,
    name: textOf(said.name) ?? '',
    input: custom ? (textOf(custom.input) ?? '') : inputText(said.arguments),
    kind: custom ? 'custom' : 'function',
    signature,
    extra: fields.rest,
  });
  return part.kind === 'function' && part.input.trim() === '' ? { ...part, input: '{}' } : part;
}

/** Arguments are JSON text; some servers send the object itself. */
export const inputText = (input: unknown): string =>
  typeof input === 'string' ? input : input === undefined || input === null ? '' : JSON.stringify(input);

/** Where Google's own copy of this wire keeps the signature of a call. */
export const thoughtSignature = (call: JsonObject): string | undefined =>
  textOf(objectOf(objectOf(call.extra_content)?.google)?.thought_signature);

/** Puts annotations on the text that they speak of; their offsets run through all text of the message. */
function addCitations(parts: Part[], annotations: unknown): void {
  const texts = parts.filter((part) => part.type === 'text');
  const starts: number[] = [];
  let length = 0;
  for (const part of texts) {
    starts.push(length);
    length += part.text.length;
  }
  for (const annotation of objectsOf(annotations)) {
    const citation = readAnnotation(annotation);
    const at = lastUpTo(starts, citation.start ?? 0);
    const part = texts[at];
    if (!part) return;
    part.citations ??= [];
    part.citations.push(shifted(citation, -(starts[at] ?? 0)));
  }
}

/** The last of the ascending numbers that is at most so much; the first where none is. */
function lastUpTo(ascending: readonly number[], most: number): number {
  let from = 0;
  let to = ascending.length - 1;
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if ((ascending[middle] ?? 0) <= most) from = middle;
    else to = middle - 1;
  }
  return from;
}

export const shifted = (citation: Citation, by: number): Citation =>
  compact({
    ...citation,
    start: citation.start === undefined ? undefined : citation.start + by,
    end: citation.end === undefined ? undefined : citation.end + by,
  });

export function readAnnotation(annotation: JsonObject): Citation {
  const said = objectOf(annotation.url_citation) ?? annotation;
  const start = said.start_index;
  const end = said.end_index;
  return compact({
    kind: textOf(said.url) === undefined ? 'file' : 'url',
    url: textOf(said.url),
    title: textOf(said.title) ?? textOf(said.filename),
    citedText: textOf(said.content),
    start: typeof start === 'number' ? start : undefined,
    end: typeof end === 'number' ? end : undefined,
    raw: { dialect: 'openai-chat', value: annotation },
  });
}
