/** Parts into content blocks. */

import type { ObjectIn } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { argumentsOf } from '../accumulate.ts';
import { notAccepted } from '../bounds.ts';
import { carry } from '../carried.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact } from '../fields.ts';
import { textOfSource } from '../media-kind.ts';
import type {
  CacheMark,
  FilePart,
  MediaSource,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import { writeCitation } from './citations.ts';
import { isOfThisWire, proofOf, type ThoughtsReader } from './claude-proofs.ts';

/** Whom the blocks are for: a model reads only what is its own, a caller gets everything in some form. */
export interface BlockTarget {
  /** Null for a caller. */
  forModel: ThoughtsReader | null;
  /** Whether the parts came from this dialect, so that their extra fields belong here. */
  own: boolean;
  /** The object of a call's text, where that is one. */
  objectIn: ObjectIn;
  /** Told of each kind of part that is left out. */
  drop(what: string): void;
}

/** The blocks of parts, without those that this dialect cannot take. */
export const writeBlocks = (parts: readonly Part[], to: BlockTarget): JsonObject[] =>
  parts.flatMap((part) => {
    const block = writeBlock(part, to);
    return block ? [to.own && 'extra' in part ? { ...block, ...part.extra } : block] : [];
  });

function writeBlock(part: Part, to: BlockTarget): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return writeText(part, to);
    case 'image':
      return block('image', { source: writeSource(part.source) }, part.cache);
    case 'file':
      return writeDocument(part, to);
    case 'tool-call':
      return writeToolUse(part, to);
    case 'tool-result':
      return writeToolResult(part, to);
    case 'thinking':
      return writeThinking(part, to);
    case 'refusal':
      return isNothing(part.text, to) ? undefined : { type: 'text', text: part.text };
    case 'audio':
      if (!to.forModel) return part.transcript ? { type: 'text', text: part.transcript } : undefined;
      if (part.transcript) return { type: 'text', text: part.transcript };
      throw notAccepted({ zh: '音频输入', en: 'audio input' });
    case 'raw':
      if (part.dialect === 'anthropic-messages') return part.value;
      to.drop('server tool call');
      return undefined;
  }
}

const block = (type: string, fields: JsonObject, cache?: CacheMark): JsonObject => ({
  type,
  ...compact(fields),
  ...(cache && { cache_control: writeCache(cache) }),
});

export const writeCache = (cache: CacheMark): JsonObject => ({
  type: 'ephemeral',
  ...(cache.ttl === '1h' && { ttl: '1h' }),
});

/** The service refuses text of blanks alone, which models say beside calls, as it does an empty one. */
const isNothing = (text: string, { forModel, own }: BlockTarget): boolean =>
  (forModel && !own ? text.trim() : text) === '';

/** Citations of another maker mean nothing to the model. */
function writeText(part: TextPart, to: BlockTarget): JsonObject | undefined {
  const citations = part.citations?.filter((c) => !to.forModel || c.raw.dialect === 'anthropic-messages');
  if (isNothing(part.text, to) && !citations?.length) return undefined;
  return block(
    'text',
    { text: part.text, citations: citations?.length ? citations.map(writeCitation) : undefined },
    part.cache,
  );
}

/** Reasoning with its proof. A model is never shown the proof of another maker, nor a thought that it refuses. */
function writeThinking(part: ThinkingPart, to: BlockTarget): JsonObject | undefined {
  const own = isOfThisWire(part.origin);
  if (own && part.encrypted !== undefined) return { type: 'redacted_thinking', data: part.encrypted };
  const told = () => (own ? part.signature : carry(part)) ?? '';
  const signature = to.forModel ? proofOf(part, to.forModel) : told();
  if (signature === undefined) {
    to.drop('thinking');
    return undefined;
  }
  return { type: 'thinking', thinking: part.text, signature };
}

function writeToolUse(part: ToolCallPart, to: BlockTarget): JsonObject {
  const input = part.kind === 'custom' ? wrapCustomInput(part.input) : argumentsOf(part.input, to.objectIn);
  const signature = to.forModel ? undefined : part.signature;
  return block(
    'tool_use',
    {
      id: part.id,
      name: part.name,
      input,
      // Where Google's own copy of OpenAI's wire keeps it; `forward` takes it out before Anthropic sees it.
      extra_content: signature === undefined ? undefined : { google: { thought_signature: signature } },
    },
    part.cache,
  );
}

function writeToolResult(part: ToolResultPart, to: BlockTarget): JsonObject {
  const content = writeBlocks(part.content, to);
  const only = content.length === 1 ? content[0] : undefined;
  return block(
    'tool_result',
    {
      tool_use_id: part.id,
      content: isPlainText(only) ? only.text : content.length === 0 ? undefined : content,
      is_error: part.isError,
    },
    part.cache,
  );
}

/** A text block that says nothing but its text, which may stand as a string. */
export const isPlainText = (block: JsonObject | undefined): block is { type: 'text'; text: string } =>
  block?.type === 'text' && typeof block.text === 'string' && Object.keys(block).length === 2;

function writeDocument(part: FilePart, to: BlockTarget): JsonObject {
  const { source } = part;
  const mediaType = source.kind === 'data' ? source.mediaType.toLowerCase() : '';
  if (mediaType.startsWith('image/')) return block('image', { source: writeSource(source) }, part.cache);
  const text = textOfSource(source);
  if (to.forModel && mediaType !== '' && mediaType !== 'application/pdf' && text === undefined) {
    throw notAccepted({ zh: `${mediaType} 类型的文件`, en: `files of the type ${mediaType}` });
  }
  return block(
    'document',
    {
      source:
        text === undefined ? writeSource(source) : { type: 'text', media_type: 'text/plain', data: text },
      title: part.title ?? part.filename,
      context: part.context,
      citations: part.citations === undefined ? undefined : { enabled: part.citations },
    },
    part.cache,
  );
}

/** The service knows each type by one spelling. */
function typeOf({ mediaType }: { mediaType: string }): string {
  const type = mediaType.toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

function writeSource(source: MediaSource): JsonObject {
  switch (source.kind) {
    case 'data':
      return { type: 'base64', media_type: typeOf(source), data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      return { type: 'file', file_id: source.id };
  }
}
