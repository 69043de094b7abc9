/** What a prompt of the neutral model holds, measured for the reservation, and its texts for a local count. */
import { imageSizeOf } from '../core/image-size.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { CacheLife } from '../core/price-formula.ts';
import type { PromptImage, PromptSize } from './dialect.ts';
import type { ChatRequest, FilePart, ImagePart, MediaSource, Part, Tool } from './neutral.ts';

export function measureChat(request: ChatRequest): PromptSize {
  const prompt: PromptSize = {
    textBytes: 0,
    messages: request.messages.length,
    toolBytes: byteLength(toolTexts(request)),
    images: [],
    audioSeconds: 0,
    files: 0,
    fileBytes: 0,
  };
  mark(prompt, lifeOf(request));
  for (const tool of request.tools) mark(prompt, lifeOf(tool));
  for (const message of request.messages) {
    for (const part of message.parts) {
      prompt.textBytes += byteLength(partTexts(part));
      markPart(prompt, part);
      measureMedia(part, prompt);
    }
  }
  return prompt;
}

/** How long a cache keeps what ends here; undefined where nothing is marked. */
function lifeOf(given: ChatRequest | Tool | Part): CacheLife | undefined {
  if ('cache' in given && given.cache) return given.cache.ttl === '1h' ? 'hour' : 'minutes';
  if ('value' in given && isObject(given.value)) return markedLife(given.value as JsonObject);
  return 'raw' in given ? markedLife(given.raw.value) : undefined;
}

/** The same of a part, a tool or a request as the wires have it whose makers charge for writing. */
export const markedLife = ({ cache_control: control }: JsonObject): CacheLife | undefined =>
  isObject(control) ? (control.ttl === '1h' ? 'hour' : 'minutes') : undefined;

function markPart(prompt: PromptSize, part: Part): void {
  mark(prompt, lifeOf(part));
  if (part.type === 'tool-result') for (const inner of part.content) markPart(prompt, inner);
}

/** The longest life holds: it costs the most. */
export function mark(prompt: PromptSize, life: CacheLife | undefined): void {
  if (life && prompt.cacheMarks !== 'hour') prompt.cacheMarks = life;
}

export const chatTexts = (request: ChatRequest): string[] => [
  ...request.messages.flatMap(({ role, parts }) => [role, ...parts.flatMap(partTexts)]),
  ...toolTexts(request),
];

const byteLength = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Everything in a part that the model reads as text. */
function partTexts(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.text];
    case 'thinking':
      return [part.text, part.encrypted ?? ''];
    case 'tool-call':
      return [part.id, part.name, part.input];
    case 'tool-result':
      return [part.id, ...part.content.flatMap(partTexts)];
    case 'raw':
      return [JSON.stringify(part.value)];
    default:
      return [];
  }
}

function toolTexts({ tools, responseFormat }: ChatRequest): string[] {
  const texts = tools.map((tool) => JSON.stringify('raw' in tool ? tool.raw.value : tool));
  return responseFormat?.type === 'schema' ? [...texts, JSON.stringify(responseFormat.schema)] : texts;
}

function measureMedia(part: Part, prompt: PromptSize): void {
  switch (part.type) {
    case 'image':
      prompt.images.push(imageOf(part));
      break;
    case 'audio':
      prompt.audioSeconds += secondsOf(bytesOf(part.source), part.format);
      if (part.source.kind !== 'data') prompt.unseen = true;
      break;
    case 'file':
      measureFile(part, prompt);
      break;
    case 'raw':
      if (FILE_ID.test(JSON.stringify(part.value))) prompt.unseen = true;
      break;
    case 'tool-result':
      for (const inner of part.content) measureMedia(inner, prompt);
      break;
    default:
  }
}

function measureFile({ source }: FilePart, prompt: PromptSize): void {
  prompt.files++;
  if (source.kind !== 'data') prompt.unseen = true;
  else if (isText(source.mediaType)) prompt.textBytes += bytesOf(source);
  else prompt.fileBytes += bytesOf(source);
}

const isText = (mediaType: string): boolean => /^(text\/|application\/json)/i.test(mediaType);

/** A file that the service keeps, in whatever only one dialect knows. */
const FILE_ID = /"file_ids?":/;

/** Enough of an image's base64 for its size. */
const HEAD_CHARS = 88_000;

function imageOf({ source, detail }: ImagePart): PromptImage {
  const size = source.kind === 'data' ? imageSizeOf(`data:,${source.data.slice(0, HEAD_CHARS)}`) : null;
  return { detail: detail === 'low' || detail === 'high' ? detail : 'auto', ...size };
}

const bytesOf = (source: MediaSource): number =>
  source.kind === 'data' ? Math.ceil((source.data.length * 3) / 4) : 0;

/** Speech is seldom below 32 kbit/s; plain samples are at least 16,000 of two bytes a second. */
const secondsOf = (bytes: number, format: string): number =>
  bytes / (format === 'wav' || format === 'pcm16' ? 32_000 : 4_000);
