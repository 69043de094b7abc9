/**
 * OpenAI's custom tools take free text. For a dialect that knows only functions they become functions with one string
 * parameter; whoever answers in OpenAI's dialect takes the text out again.
 */
import { callersSet } from '../core/callers-keys.ts';
import { innerObject } from '../core/inner-json.ts';
import type { JsonObject } from '../core/json.ts';
import type { StreamWriter } from './codec.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent, ToolCallPart } from './neutral.ts';

export const customToolSchema: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** The free text as arguments of the function that stands for the tool. */
export const wrapCustomInput = (text: string): JsonObject => ({ input: text });

/** The free text of such arguments; the arguments themselves when they have another shape. */
export function unwrapCustomInput(json: string): string {
  const input = innerObject(json)?.input;
  return typeof input === 'string' ? input : json;
}

/** Names of the caller's own tools, by which calls of them are told apart. Throws `invalid_request`. */
export function namesOfTools({ tools }: Pick<ChatRequest, 'tools'>) {
  const named = (type: 'function' | 'custom') =>
    callersSet(tools.flatMap((tool) => (tool.type === type ? [tool.name] : [])));
  return { functions: named('function'), customs: named('custom') };
}

/** Whether a custom call goes to a caller who knows the tool as a function: he declared it, or functions alone. */
function isDeclared(request: Pick<ChatRequest, 'tools'>): (part: Part) => part is ToolCallPart {
  const { functions, customs } = namesOfTools(request);
  const alone = functions.size > 0 && customs.size === 0;
  return (part): part is ToolCallPart =>
    part.type === 'tool-call' &&
    part.kind === 'custom' &&
    !customs.has(part.name) &&
    (alone || functions.has(part.name));
}

/** The free text as arguments: itself where the model wrote them, else as those of the function that stands for a tool. */
const argumentsOf = (text: string): string =>
  innerObject(text) ? text : JSON.stringify(wrapCustomInput(text));

const asFunction = (part: ToolCallPart): ToolCallPart => ({
  ...part,
  kind: 'function',
  input: argumentsOf(part.input),
});

/** The answer with custom calls as the functions that its caller declared. */
export function asDeclared(reply: ChatReply, request: Pick<ChatRequest, 'tools'>): ChatReply {
  const isFunction = isDeclared(request);
  if (!reply.choices.some(({ parts }) => parts.some(isFunction))) return reply;
  const choices = reply.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => (isFunction(part) ? asFunction(part) : part)),
  }));
  return { ...reply, choices };
}

/** The same of a stream: only the whole text can be told as arguments. */
export class DeclaredWriter implements StreamWriter {
  readonly #isFunction;
  readonly #held = new Map<number, string>();

  constructor(
    readonly inner: StreamWriter,
    request: Pick<ChatRequest, 'tools'>,
  ) {
    this.#isFunction = isDeclared(request);
  }

  get heldBytes(): number {
    let bytes = this.inner.heldBytes;
    for (const { length } of this.#held.values()) bytes += length;
    return bytes;
  }

  write(event: StreamEvent): string {
    if (event.type === 'part-start' && this.#isFunction(event.part)) {
      this.#held.set(event.index, event.part.input);
      return this.inner.write({ ...event, part: { ...event.part, kind: 'function', input: '' } });
    }
    const held = 'index' in event ? this.#held.get(event.index) : undefined;
    if (held === undefined) return this.inner.write(event);
    if (event.type === 'part-delta' && event.delta.type === 'input') {
      this.#held.set(event.index, held + event.delta.text);
      return '';
    }
    if (event.type !== 'part-end') return this.inner.write(event);
    const { choice, index } = event;
    this.#held.delete(index);
    const delta = { type: 'input', text: argumentsOf(held) } as const;
    return this.inner.write({ type: 'part-delta', choice, index, delta }) + this.inner.write(event);
  }
}
