/** Parts of the neutral model as Bedrock's Converse takes them. */
import type { ObjectIn } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Text } from '../../core/text.ts';
import { argumentsOf } from '../accumulate.ts';
import { notAccepted } from '../bounds.ts';
import type { RequestTarget } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact, objectOf } from '../fields.ts';
import { kindOfType } from '../media-kind.ts';
import type { CacheMark, FilePart, MediaSource, Part, ThinkingPart, ToolResultPart } from '../neutral.ts';
import { saidInWords } from '../result-words.ts';

export const cachePoint = (cache: CacheMark | undefined): JsonObject[] =>
  cache ? [{ cachePoint: { type: 'default', ...(cache.ttl === '1h' && { ttl: '1h' }) } }] : [];

export interface PartTarget extends Pick<RequestTarget, 'drop'> {
  /** The object of a call's text, where that is one. */
  objectIn: ObjectIn;
}

export const writeParts = (parts: readonly Part[], to: PartTarget): JsonObject[] =>
  parts.flatMap((part, n) => {
    const block = writePart(part, n, to);
    return block ? [block, ...('cache' in part ? cachePoint(part.cache) : [])] : [];
  });

function writePart(part: Part, n: number, to: PartTarget): JsonObject | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? undefined : { text: part.text };
    case 'image':
      return {
        image: {
          format: imageFormat(part.source),
          source: { bytes: bytesOf(part.source, { zh: '以地址给出的图片', en: 'images by address' }) },
        },
      };
    case 'file':
      return writeFile(part, n);
    case 'audio':
      if (part.transcript !== undefined) return { text: part.transcript };
      throw notAccepted({ zh: '音频输入', en: 'audio input' });
    case 'thinking':
      return writeThinking(part, to);
    case 'tool-call':
      return {
        toolUse: {
          toolUseId: part.id,
          name: part.name,
          input: part.kind === 'custom' ? wrapCustomInput(part.input) : argumentsOf(part.input, to.objectIn),
        },
      };
    case 'tool-result':
      return writeResult(part, to);
    case 'raw':
      to.drop('server tool call');
      return undefined;
  }
}

/** A model gets its own thinking only, and only with its proof. */
function writeThinking(part: ThinkingPart, to: PartTarget): JsonObject | undefined {
  const own = part.origin === 'bedrock-converse' || part.origin === 'anthropic-messages';
  if (own && part.encrypted !== undefined) return { reasoningContent: { redactedContent: part.encrypted } };
  if (own && part.signature) {
    return { reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } };
  }
  to.drop('thinking');
  return undefined;
}

function writeResult(part: ToolResultPart, to: PartTarget): JsonObject {
  const content = saidInWords(part)
    .map((inner, n) => writePart(inner, n, to))
    .filter((block) => block !== undefined);
  const value = objectOf(part.value);
  return {
    toolResult: compact({
      toolUseId: part.id,
      content: value ? [{ json: value }] : content.length > 0 ? content : [{ text: '...' }],
      status: part.isError === undefined ? undefined : part.isError ? 'error' : 'success',
    }),
  };
}

const FORMATS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};
const VIDEOS = new Set(['mp4', 'mov', 'mkv', 'webm', 'flv', 'mpeg', 'mpg', 'wmv', 'three_gp']);

function writeFile(part: FilePart, n: number): JsonObject {
  const mediaType = (part.source.mediaType ?? 'application/pdf').toLowerCase();
  const source = { bytes: bytesOf(part.source, { zh: '以地址给出的文件', en: 'files by address' }) };
  const [kind, subtype = ''] = mediaType.split('/');
  if (kind === 'image') return { image: { format: imageFormat(part.source), source } };
  if (kind === 'video' && VIDEOS.has(subtype)) return { video: { format: subtype, source } };
  const format = FORMATS[mediaType] ?? (kindOfType(mediaType) === 'text' ? 'txt' : undefined);
  if (!format) throw notAccepted({ zh: `${mediaType} 类型的文件`, en: `files of the type ${mediaType}` });
  return {
    document: compact({
      format,
      name: documentName(part.title ?? part.filename ?? '', n),
      source,
      context: part.context,
      citations: part.citations === undefined ? undefined : { enabled: part.citations },
    }),
  };
}

/** Names of documents are few letters and no dots; an ending says nothing that the format does not. */
function documentName(name: string, n: number): string {
  const clean = name
    .replace(/\.[a-zA-Z0-9]+$/, '')
    .replace(/[^a-zA-Z0-9\s\-()[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean || `document-${n + 1}`;
}

function imageFormat(source: MediaSource): string {
  const subtype = (source.mediaType ?? 'image/png').toLowerCase().replace('image/', '');
  return subtype === 'jpg' ? 'jpeg' : subtype;
}

function bytesOf(source: MediaSource, what: Text): string {
  if (source.kind === 'data') return source.data;
  throw notAccepted(what);
}
