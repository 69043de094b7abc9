/** Gemini's contents and its system instruction into the turns of a request. */
import type { JsonObject } from '../../core/json.ts';
import { type CallIds, historyIds } from '../call-ids.ts';
import { compact, fieldsBut, hasFields, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Message, Part } from '../neutral.ts';
import { readPart } from './read-parts.ts';

export function readContents(body: JsonObject): Message[] {
  const ids = historyIds();
  return [
    ...readSystem(body.systemInstruction, ids),
    ...objectsOf(body.contents).flatMap((content) => readContent(content, ids)),
  ];
}

/** A content, a list of parts, or a text: clients of all ages send all three. */
function readSystem(given: unknown, ids: CallIds): Message[] {
  const text = textOf(given);
  const content = objectOf(given);
  const parts: Part[] =
    text !== undefined
      ? [{ type: 'text', text }]
      : objectsOf(content ? (content.parts ?? [content]) : given).map((part) => readPart(part, ids));
  if (parts.length === 0) return [];
  const extra = content?.parts ? fieldsBut(content, new Set(['parts'])) : {};
  return [compact<Message>({ role: 'system', parts, extra: hasFields(extra) ? extra : undefined })];
}

/** Results of tools stand in a message of their own, before what else the turn holds. */
function readContent(content: JsonObject, ids: CallIds): Message[] {
  const parts = objectsOf(content.parts).map((part) => readPart(part, ids));
  const rest = fieldsBut(content, new Set(['role', 'parts']));
  if (content.role === 'function') rest.role = 'function';
  const extra = hasFields(rest) ? rest : undefined;
  if (content.role === 'model') return [compact<Message>({ role: 'assistant', parts, extra })];
  const results = parts.filter((part) => part.type === 'tool-result');
  const others = parts.filter((part) => part.type !== 'tool-result');
  return [
    ...(results.length > 0 ? [compact<Message>({ role: 'tool', parts: results, extra })] : []),
    ...(others.length > 0 || results.length === 0
      ? [compact<Message>({ role: 'user', parts: others, extra })]
      : []),
  ];
}
