import type { JsonObject } from '../core/json.ts';
import { objectsOf } from './fields.ts';

/** Puts a system message first, beside one of the caller's only where it overrides: for wires whose messages have that role. */
export function addSystemMessage(body: JsonObject, text: string, override: boolean): JsonObject {
  const messages = objectsOf(body.messages);
  if (messages.some(({ role }) => role === 'system') && !override) return body;
  return { ...body, messages: [{ role: 'system', content: text }, ...messages] };
}
