/** Parts as items of the Responses wire. */
import type { JsonObject } from '../../core/json.ts';
import { carry } from '../carried.ts';
import type { DialectId } from '../dialect.ts';
import { compact, objectOf } from '../fields.ts';
import type { Citation, ImagePart, Part, ThinkingPart, ToolCallPart } from '../neutral.ts';

/** Heads the ids of reasoning that the service never saw; a request must not send them to it. */
export const MADE_REASONING_ID = 'rs_relay_';

/** The fields of the message item that a part of this dialect stood in. */
export const messageFields = (part: Part): JsonObject | undefined =>
  part.type === 'text' || part.type === 'refusal' ? objectOf(part.extra?.item) : undefined;

/** A content of a message that a model gave. */
export function writeSpoken(part: Part, logprobs: JsonObject[]): JsonObject {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  if (part.type !== 'text') return {};
  const annotations = (part.citations ?? []).flatMap((citation) =>
    writeAnnotation(citation, part.text.length),
  );
  return { type: 'output_text', text: part.text, annotations, logprobs };
}

/** Only citations of web pages have a form here, unless they are this dialect's own. */
function writeAnnotation(citation: Citation, length: number): JsonObject[] {
  if (citation.raw.dialect === 'openai-responses') return [citation.raw.value];
  if (citation.url === undefined) return [];
  return [
    {
      type: 'url_citation',
      start_index: citation.start ?? 0,
      end_index: citation.end ?? length,
      url: citation.url,
      title: citation.title ?? '',
    },
  ];
}

/** Whether two pieces of thinking belong to one item: they share the fields of the item that they were read from. */
export const sameReasoning = (a: ThinkingPart, b: ThinkingPart): boolean =>
  a.origin === 'openai-responses' && a.extra?.item !== undefined && a.extra.item === b.extra?.item;

/** The pieces of one reasoning item. Reasoning of others is shown as a summary, which every client displays. */
export function writeReasoning(parts: readonly ThinkingPart[], id: string | undefined): JsonObject {
  const said = parts.filter((part) => part.text !== '');
  const raw = said.filter(isRawReasoning);
  const summary = said.filter((part) => !isRawReasoning(part));
  return compact({
    type: 'reasoning',
    id,
    summary: summary.map(({ text }) => ({ type: 'summary_text', text })),
    content: raw.length > 0 ? raw.map(({ text }) => ({ type: 'reasoning_text', text })) : undefined,
    encrypted_content: parts.map(proofText).find((text) => text !== undefined),
    ...objectOf(parts[0]?.extra?.item),
  });
}

/** The reasoning itself, which only servers of open models show on this wire. */
export const isRawReasoning = (part: ThinkingPart): boolean =>
  part.origin === 'openai-responses' && !part.summary;

/** Wires on which some makers want thoughts back that they have not proved. */
const UNPROVEN: ReadonlySet<DialectId> = new Set<DialectId>(['openai-chat', 'anthropic-messages']);

/**
 * What proves a piece of thinking to its maker. Clients that have nothing kept for them (the Vercel AI SDK) bring back no
 * thought without one, so that those have the proof that there is none.
 */
function proofText(part: ThinkingPart): string | undefined {
  if (part.origin === 'openai-responses') return part.encrypted;
  return carry(part) ?? (UNPROVEN.has(part.origin) ? carry({ ...part, signature: '' }) : undefined);
}

/** A call as its item. */
export function writeCall(part: ToolCallPart, id: string | undefined, status?: string): JsonObject {
  const said = compact({ id, call_id: part.id, name: part.name, status });
  return part.kind === 'custom'
    ? { type: 'custom_tool_call', ...said, input: part.input }
    : { type: 'function_call', ...said, arguments: part.input === '' ? '{}' : part.input };
}

export function writeDrawing(part: ImagePart, id: string): JsonObject | undefined {
  const { source } = part;
  if (source.kind !== 'data') return undefined;
  return {
    type: 'image_generation_call',
    id,
    status: 'completed',
    result: source.data,
    output_format: source.mediaType.replace('image/', ''),
  };
}
