/** Messages of a chat request. */

import { CallersMap } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import { oneOf, refuse } from '../bounds.ts';
import { compact, FieldTaker, fieldsBut, hasFields, objectOf, textOf } from '../fields.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { readAssistant, readCache, readContent } from './read-parts.ts';

/**
 * Fields whose whole meaning is in the parts. What else an assistant says beside its content stays with the message
 * too, because vendors spell it differently and each wants its own spelling back.
 */
const SAID_IN_PARTS = new Set(['role', 'content', 'name', 'tool_calls', 'function_call']);

/** Reads a history and remembers its calls, because results name only their ids. */
export class MessageReader {
  readonly #calls = new CallersMap<ToolCallPart>();
  /** The last call of each function. */
  readonly #callsByName = new CallersMap<ToolCallPart>();
  #made = 0;

  read(value: unknown, at: number): Message {
    const message = objectOf(value);
    const role = textOf(message?.role);
    switch (message && role) {
      case 'system':
      case 'developer':
      case 'user':
        return this.#plain(
          message ?? {},
          role === 'user' ? 'user' : role === 'system' ? 'system' : 'developer',
        );
      case 'assistant':
        return this.#assistant(message ?? {});
      case 'tool':
        return this.#result(message ?? {});
      case 'function':
        return this.#functionResult(message ?? {});
      default:
        throw refuse(`messages[${at}].role`, oneOf('system', 'developer', 'user', 'assistant', 'tool'));
    }
  }

  #plain(message: JsonObject, role: 'system' | 'developer' | 'user'): Message {
    const fields = new FieldTaker(message);
    fields.text('role');
    return compact<Message>({
      role,
      name: fields.text('name'),
      parts: fields.take('content', (content) => readContent(content)) ?? [],
      cache: readCache(message.cache_control),
      extra: fields.rest,
    });
  }

  #assistant(message: JsonObject): Message {
    const parts = readAssistant(message, () => `call_${this.#made++}`);
    for (const part of parts) {
      if (part.type !== 'tool-call') continue;
      this.#calls.set(part.id, part);
      this.#callsByName.set(part.name, part);
    }
    const extra = fieldsBut(message, SAID_IN_PARTS);
    return compact<Message>({
      role: 'assistant',
      name: textOf(message.name),
      parts,
      cache: readCache(message.cache_control),
      extra: hasFields(extra) ? extra : undefined,
    });
  }

  #result(message: JsonObject): Message {
    const fields = new FieldTaker(message);
    fields.text('role');
    const id = fields.text('tool_call_id') ?? '';
    const call = this.#calls.get(id);
    const result: ToolResultPart = compact({
      type: 'tool-result',
      id,
      name: fields.text('name') ?? call?.name,
      content: readContent(fields.take('content', (content) => content)),
      kind: call?.kind ?? 'function',
      // Said so that the name goes back only where the caller gave one.
      extra: message.name === undefined ? undefined : { name: message.name },
    });
    const cache = readCache(message.cache_control);
    return compact<Message>({ role: 'tool', parts: [result], cache, extra: fields.rest });
  }

  /** The deprecated result of a function, which names the function and not the call. */
  #functionResult(message: JsonObject): Message {
    const name = textOf(message.name) ?? '';
    const call = this.#callsByName.get(name);
    const result: ToolResultPart = {
      type: 'tool-result',
      id: call?.id ?? `call_${this.#made++}`,
      name,
      content: readContent(message.content),
      kind: 'function',
      extra: { function: true },
    };
    return { role: 'tool', parts: [result] };
  }
}
