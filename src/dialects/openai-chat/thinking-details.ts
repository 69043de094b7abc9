/**
 * The proofs of reasoning on this wire: `reasoning_details`, as OpenRouter has it. OpenAI's own wire has no place for
 * them, and clients that know none pass over the field; those that send it back let the model go on with its thoughts.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { carry, isCarried, uncarry } from '../carried.ts';
import { compact, countOf, objectsOf, textOf } from '../fields.ts';
import type { ThinkingPart } from '../neutral.ts';
import { detailIn, isGooglesForm } from '../proofs.ts';

/**
 * The thinking that a message tells in its text and in the details of it. Details of this gateway hold no text of their
 * own but the place of theirs in the whole, so that nobody is shown the same twice.
 */
export function readThinking(text: string, raw: unknown): ThinkingPart[] {
  const details = objectsOf(raw);
  const parts = details.map(readDetail);
  if (text === '' || parts.some((part) => part.text !== '')) return parts;
  const plain = (from: number, to: number): ThinkingPart[] =>
    from < to ? [{ type: 'thinking', text: text.slice(from, to), origin: 'openai-chat' }] : [];
  const told: ThinkingPart[] = [];
  let at = 0;
  for (const [n, part] of parts.entries()) {
    const { type, start, length } = details[n] ?? {};
    const isText = type === 'reasoning.text';
    // Places follow one another: many that name the same text would make it many times as long.
    const from = isText ? Math.max(countOf(start) ?? at, at) : at;
    const to = isText ? from + (countOf(length) ?? text.length) : from;
    told.push(...plain(at, from), { ...part, text: text.slice(from, to) });
    at = to;
  }
  return [...told, ...plain(at, text.length)];
}

function readDetail(detail: JsonObject): ThinkingPart {
  const text = detailText(detail);
  const proof = textOf(detail.signature) ?? textOf(detail.data);
  if (proof !== undefined && isCarried(proof)) {
    return { type: 'thinking', text, ...uncarry(proof, 'openai-chat') };
  }
  return compact({
    type: 'thinking',
    text,
    summary: detail.type === 'reasoning.summary' || undefined,
    signature: proofOf(detail),
    origin: 'openai-chat',
  });
}

export const detailText = (detail: JsonObject): string => textOf(detail.text) ?? textOf(detail.summary) ?? '';

/** What Google sealed of what a message was thought from, as gateways tell it that know its form. */
export const sealedByGoogle = ({ reasoning_details: details }: JsonObject): string[] =>
  objectsOf(details).flatMap(({ format, data }) =>
    isGooglesForm(format) && typeof data === 'string' ? [data] : [],
  );

/** Everything of a detail but its text, when it proves anything; its maker wants it back word for word. */
export function proofOf(detail: JsonObject): string | undefined {
  if (typeof detail.signature !== 'string' && typeof detail.data !== 'string') return undefined;
  return JSON.stringify(proven(detail));
}

/** The fields of a proof, which are flat: what the detail says besides is the part's own, and measured with it. */
const proven = ({ type, id, format, index, signature, data }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries({ type, id, format, index, signature, data }).filter(
      ([, value]) => value !== undefined && (value === null || typeof value !== 'object'),
    ),
  );

/**
 * The detail that proves a piece of thinking to its maker when it comes back; undefined when it has no proof. `start` is
 * the place of the piece in all the thinking of the message.
 */
export function writeDetail(part: ThinkingPart, index: number, start: number): JsonObject | undefined {
  if (part.origin === 'openai-chat') return writeOwnDetail(part);
  const proof = carry(part);
  if (proof === undefined) return undefined;
  return part.text === ''
    ? { type: 'reasoning.encrypted', data: proof, index }
    : { type: 'reasoning.text', signature: proof, index, start, length: part.text.length };
}

/** A detail as the upstream of this dialect wrote it; undefined for thinking that came without. */
export function writeOwnDetail(part: ThinkingPart): JsonObject | undefined {
  const told = part.origin === 'openai-chat' && part.signature ? detailIn(part.signature) : undefined;
  if (!told) return undefined;
  const proof = proven(told);
  if (part.text === '') return proof;
  return { ...proof, [proof.type === 'reasoning.summary' ? 'summary' : 'text']: part.text };
}

/** Whether a detail carries the proof of a maker that does not speak this dialect. */
export const isForeignDetail = (detail: unknown): boolean =>
  isObject(detail) && (isCarried(detail.signature) || isCarried(detail.data));
