/** Content blocks into parts. A block that no other dialect knows stays raw; unknown fields stay with their part. */
import type { JsonObject } from '../../core/json.ts';
import { isAbsent } from '../bounds.ts';
import { lifeOf } from '../cache-life.ts';
import { uncarry } from '../carried.ts';
import { compact, fieldsBut, flagOf, hasFields, objectOf, objectsOf, textOf } from '../fields.ts';
import { fileIn, pictureIn, sourceIn } from '../media.ts';
import type { CacheMark, FilePart, ImagePart, MediaSource, Part, ToolCallPart } from '../neutral.ts';
import { readCitations } from './citations.ts';

/** A content string or list of blocks. */
export function readContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((given): Part[] => {
    if (typeof given === 'string') return [{ type: 'text', text: given }];
    const block = objectOf(given);
    return block ? [readBlock(block)] : [];
  });
}

export function readBlock(block: JsonObject): Part {
  switch (block.type) {
    case 'text':
      return readText(block);
    case 'image':
      return readImage(block) ?? raw(block);
    case 'document':
      return readDocument(block) ?? raw(block);
    case 'search_result':
      return readSearchResult(block);
    case 'tool_use':
      return readToolUse(block);
    case 'tool_result':
      return compact({
        type: 'tool-result',
        id: textOf(block.tool_use_id) ?? '',
        kind: 'function',
        content: readContent(block.content),
        isError: flagOf(block.is_error),
        cache: readCache(block.cache_control),
        extra: extraOf(block, ['tool_use_id', 'content', 'is_error']),
      });
    case 'thinking':
      return compact({
        type: 'thinking',
        text: textOf(block.thinking) ?? '',
        ...uncarry(textOf(block.signature) ?? '', 'anthropic-messages'),
        extra: extraOf(block, ['thinking', 'signature']),
      });
    case 'redacted_thinking':
      return {
        type: 'thinking',
        text: '',
        encrypted: textOf(block.data) ?? '',
        origin: 'anthropic-messages',
      };
    default:
      return raw(block);
  }
}

export const raw = (value: JsonObject): Part => ({ type: 'raw', dialect: 'anthropic-messages', value });

function readText(block: JsonObject): Part {
  const citations = readCitations(block.citations);
  return compact({
    type: 'text',
    text: textOf(block.text) ?? '',
    citations: citations.length > 0 ? citations : undefined,
    cache: readCache(block.cache_control),
    extra: extraOf(block, ['text', 'citations']),
  });
}

function readImage(block: JsonObject): ImagePart | undefined {
  const source = readSource(objectOf(block.source), 'image/png');
  if (!source) return undefined;
  return compact<ImagePart>({
    type: 'image',
    source,
    cache: readCache(block.cache_control),
    extra: extraOf(block, ['source']),
  });
}

function readDocument(block: JsonObject): FilePart | undefined {
  const given = objectOf(block.source);
  const source = readSource(given);
  if (!source) return undefined;
  return compact<FilePart>({
    type: 'file',
    source,
    title: textOf(block.title),
    context: textOf(block.context),
    citations: flagOf(objectOf(block.citations)?.enabled),
    cache: readCache(block.cache_control),
    extra: joined(
      extraOf(block, ['source', 'title', 'context', 'citations']),
      // Blocks inside a document are text to others, but come back as they were.
      given?.type === 'content' && { source: given },
    ),
  });
}

/** A search result that the caller brings along is a text document to others. */
function readSearchResult(block: JsonObject): FilePart {
  const { cache_control, ...own } = block;
  return compact<FilePart>({
    type: 'file',
    source: textSource(blocksText(block.content)),
    title: textOf(block.title),
    filename: textOf(block.source),
    citations: flagOf(objectOf(block.citations)?.enabled),
    cache: readCache(cache_control),
    extra: own,
  });
}

function readToolUse(block: JsonObject): ToolCallPart {
  const google = objectOf(objectOf(block.extra_content)?.google);
  return compact({
    type: 'tool-call',
    id: textOf(block.id) ?? '',
    name: textOf(block.name) ?? '',
    input: JSON.stringify(block.input ?? {}),
    kind: 'function',
    signature: textOf(google?.thought_signature),
    cache: readCache(block.cache_control),
    extra: extraOf(block, ['id', 'name', 'input', 'extra_content']),
  });
}

function readSource(source: JsonObject | undefined, likelyType?: string): MediaSource | undefined {
  const mediaType = textOf(source?.media_type);
  switch (source?.type) {
    case 'base64':
      return sourceIn(textOf(source.data) ?? '', mediaType ?? likelyType ?? '');
    case 'text':
      return textSource(textOf(source.data) ?? '', mediaType);
    case 'content':
      return textSource(blocksText(source.content));
    case 'url':
      return likelyType === undefined
        ? fileIn(textOf(source.url) ?? '', undefined, 'url')
        : pictureIn(textOf(source.url) ?? '', 'url');
    case 'file':
      return { kind: 'file', id: textOf(source.file_id) ?? '' };
    default:
      return undefined;
  }
}

const textSource = (text: string, mediaType = 'text/plain'): MediaSource => ({
  kind: 'data',
  mediaType,
  data: Buffer.from(text).toString('base64'),
});

const blocksText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map((block) => textOf(block.text) ?? '')
        .join('\n');

export function readCache(control: unknown): CacheMark | undefined {
  const mark = objectOf(control);
  return mark ? { ttl: lifeOf(mark.ttl) === 'hour' ? '1h' : '5m' } : undefined;
}

/** What the part itself does not hold; a cache mark that says more than its life is kept whole. */
export function extraOf(block: JsonObject, known: readonly string[]): JsonObject | undefined {
  const extra = fieldsBut(block, new Set(['type', 'cache_control', ...known]));
  const { cache_control: control } = block;
  const mark = objectOf(control);
  if (mark ? mark.ttl === '5m' || hasFields(fieldsBut(mark, CACHE_FIELDS)) : !isAbsent(control)) {
    extra.cache_control = control;
  }
  return hasFields(extra) ? extra : undefined;
}

/** Two sets of extra fields as one; undefined when both are empty. */
export const joined = (
  extra: JsonObject | undefined,
  more: JsonObject | false | '' | undefined,
): JsonObject | undefined => (more ? { ...extra, ...more } : extra);

const CACHE_FIELDS = new Set(['type', 'ttl']);
