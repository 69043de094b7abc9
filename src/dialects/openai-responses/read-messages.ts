/** The input of a Responses request into messages: what assistants said in several items is one message again. */

import { CallersMap } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import { oneOf, refuse, wrong } from '../bounds.ts';
import { compact, fieldsBut, hasFields, objectOf, textOf } from '../fields.ts';
import type { Message, Part, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { itemFields, rawPart, readContent, readOutputItem } from './read-parts.ts';

export function readInput(input: unknown): Message[] {
  if (typeof input === 'string') {
    return [{ role: 'user', parts: [{ type: 'text', text: input }], extra: { string: true } }];
  }
  const reader = new InputReader();
  if (Array.isArray(input)) for (const [at, item] of input.entries()) reader.read(item, at);
  return reader.messages;
}

class InputReader {
  readonly messages: Message[] = [];
  readonly #calls = new CallersMap<ToolCallPart>();

  read(value: unknown, at: number): void {
    const item = objectOf(value);
    if (!item) throw refuse(`input[${at}]`, wrong.object);
    const role = textOf(item.role);
    if (role !== undefined && (item.type === 'message' || item.type === undefined)) {
      this.#message(item, role, at);
    } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      this.#add('tool', [this.#result(item)]);
    } else if (isResult(item.type)) {
      this.#add('tool', [rawPart(item)]);
    } else {
      this.#add('assistant', this.#said(item));
    }
  }

  #message(item: JsonObject, role: string, at: number): void {
    switch (role) {
      case 'assistant': {
        const parts = readContent(item.content, itemFields(item));
        this.#add('assistant', parts.length > 0 ? parts : [rawPart(item)]);
        return;
      }
      case 'user':
      case 'system':
      case 'developer': {
        const extra = itemFields(item);
        this.messages.push(
          compact<Message>({
            role,
            parts: readContent(item.content),
            extra: hasFields(extra) ? extra : undefined,
          }),
        );
        return;
      }
      default:
        throw refuse(`input[${at}].role`, oneOf('user', 'assistant', 'system', 'developer'));
    }
  }

  /** Reasoning that only its keeper can look up says nothing to others, but goes back to him. */
  #said(item: JsonObject): Part[] {
    const parts = readOutputItem(item);
    for (const part of parts) if (part.type === 'tool-call') this.#calls.set(part.id, part);
    return parts.length > 0 ? parts : [rawPart(item)];
  }

  #result(item: JsonObject): ToolResultPart {
    const id = textOf(item.call_id) ?? '';
    const call = this.#calls.get(id);
    const extra = fieldsBut(item, RESULT_FIELDS);
    return compact({
      type: 'tool-result',
      id,
      name: call?.name,
      content: readContent(item.output),
      kind: item.type === 'custom_tool_call_output' ? 'custom' : 'function',
      extra: hasFields(extra) ? extra : undefined,
    });
  }

  /** Adds to the message under way when it is of this role, else begins one. */
  #add(role: 'assistant' | 'tool', parts: Part[]): void {
    const last = this.messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.messages.push({ role, parts });
  }
}

const RESULT_FIELDS = new Set(['type', 'call_id', 'output']);

/** Results of tools that the service itself describes and the caller runs. */
const isResult = (type: unknown): boolean =>
  typeof type === 'string' && (type.endsWith('_output') || type === 'mcp_approval_response');
