/** What an assistant says, for a caller of the chat wire: whole and in the pieces of a stream. */
import type { JsonObject } from '../../core/json.ts';
import { namesOfTools, unwrapCustomInput } from '../custom-tools.ts';
import { compact } from '../fields.ts';
import { urlOfSource } from '../media.ts';
import type { AudioPart, ChatRequest, Citation, ImagePart, ToolCallPart } from '../neutral.ts';

/** Names of the caller's custom tools: a model that knows only functions called functions in their place. */
export const customTools = (request: ChatRequest): ReadonlySet<string> => namesOfTools(request).customs;

/** Whether the caller still speaks of functions instead of tools, and expects no more than one call. */
export const wantsFunctionCall = ({ dialect, extra }: ChatRequest): boolean =>
  dialect === 'openai-chat' && Array.isArray(extra.functions);

/** A call as a whole. A function without arguments is called with an empty object. */
export function writeCall(part: ToolCallPart, custom: ReadonlySet<string>): JsonObject {
  if (part.kind === 'custom' || custom.has(part.name)) {
    const input = part.kind === 'custom' ? part.input : unwrapCustomInput(part.input);
    return { id: part.id, type: 'custom', custom: { name: part.name, input } };
  }
  return {
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: part.input === '' ? '{}' : part.input },
    ...signatureOf(part),
  };
}

/** Where Google's own copy of this wire keeps the signature of a call. */
export const signatureOf = ({ signature }: ToolCallPart): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/**
 * Citations as annotations; only those of web pages have a form here. `start` and `end` are the place of the text that
 * they speak of in the whole content: a citation without offsets of its own speaks of all of it.
 */
export const writeAnnotations = (citations: readonly Citation[], start: number, end: number): JsonObject[] =>
  citations.flatMap((citation) => {
    if (citation.url === undefined) return [];
    const url_citation = compact({
      start_index: citation.start === undefined ? start : start + citation.start,
      end_index: citation.end === undefined ? end : start + citation.end,
      url: citation.url,
      title: citation.title ?? '',
    });
    return [{ type: 'url_citation', url_citation }];
  });

/** Images stand where OpenRouter puts them; OpenAI's own models draw none on this wire. */
export function writeImage(part: ImagePart): JsonObject | undefined {
  const url = urlOfSource(part.source);
  return url === undefined ? undefined : { type: 'image_url', image_url: { url } };
}

export function writeAudio(part: AudioPart): JsonObject {
  return compact({
    id: part.id,
    data: part.source.kind === 'data' ? part.source.data : undefined,
    transcript: part.transcript,
    expires_at: part.expiresAt,
  });
}
