/**
 * Numbers the parts of a stream whose dialect has no part boundaries (OpenAI Chat, Gemini, most vendors' own wires):
 * says when a part begins and ends from what its pieces are. Readers feed it pieces; it answers events.
 */
import { parseInner } from '../core/inner-json.ts';
import type { Part, PartDelta, StreamEvent, ThinkingPart, ToolCallPart } from './neutral.ts';

/** Parts whose pieces follow one another; a piece of another kind ends them. */
type FlowKind = 'text' | 'thinking' | 'refusal' | 'audio';

interface Open {
  index: number;
  kind: FlowKind;
}

interface OpenCall {
  choice: number;
  index: number;
  kind: ToolCallPart['kind'];
  input: string;
  /** How much of the input was not whole when it was last looked at. */
  looked: number;
}

export class PartStream {
  #next = 0;
  #hasStarted = false;
  readonly #flows = new Map<number, Open>();
  /** Open tool calls by choice and the key by which their dialect names them. */
  readonly #tools = new Map<string, OpenCall>();

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The beginning of the answer, once: many wires say its id with every piece. */
  start(id: string, { model = '', created = 0 } = {}): StreamEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    return [{ type: 'start', id, model, created, usage: null }];
  }

  /** A piece of text; an empty one opens nothing. */
  text(choice: number, text: string): StreamEvent[] {
    return text === '' ? [] : this.#flow(choice, 'text', { type: 'text', text: '' }, { type: 'text', text });
  }

  thinking(choice: number, text: string, part: Omit<ThinkingPart, 'type' | 'text'>): StreamEvent[] {
    if (text === '') return [];
    return this.#flow(
      choice,
      'thinking',
      { type: 'thinking', text: '', ...part },
      { type: 'thinking', text },
    );
  }

  refusal(choice: number, text: string): StreamEvent[] {
    return text === ''
      ? []
      : this.#flow(choice, 'refusal', { type: 'refusal', text: '' }, { type: 'refusal', text });
  }

  /** A piece that belongs to the open flow of this kind, or to a new one that begins with `part`. */
  piece(choice: number, kind: FlowKind, part: Part, delta: PartDelta): StreamEvent[] {
    return this.#flow(choice, kind, part, delta);
  }

  /** Whether the tool call of this key has begun. */
  hasTool(choice: number, key: string | number): boolean {
    return this.#tools.has(`${choice}/${key}`);
  }

  /** Begins a tool call. Several may be open at once; they stay open until they are whole and the flow goes on. */
  tool(choice: number, key: string | number, call: Omit<ToolCallPart, 'type' | 'input'>): StreamEvent[] {
    const events = this.#closeFlow(choice);
    const index = this.#next++;
    this.#tools.set(`${choice}/${key}`, { choice, index, kind: call.kind, input: '', looked: 0 });
    events.push({ type: 'part-start', choice, index, part: { type: 'tool-call', input: '', ...call } });
    return events;
  }

  toolInput(choice: number, key: string | number, text: string): StreamEvent[] {
    const open = this.#tools.get(`${choice}/${key}`);
    if (!open || text === '') return [];
    open.input += text;
    return [{ type: 'part-delta', choice, index: open.index, delta: { type: 'input', text } }];
  }

  endTool(choice: number, key: string | number): StreamEvent[] {
    const open = this.#tools.get(`${choice}/${key}`);
    this.#tools.delete(`${choice}/${key}`);
    return open ? endCall(open) : [];
  }

  /** A part that comes at once and whole. */
  whole(choice: number, part: Part): StreamEvent[] {
    const index = this.#next++;
    return [
      ...this.#goOn(choice),
      { type: 'part-start', choice, index, part },
      { type: 'part-end', choice, index },
    ];
  }

  /** Ends what is open in a choice. */
  close(choice: number): StreamEvent[] {
    return [...this.#closeFlow(choice), ...this.#closeCalls(choice, () => true)];
  }

  /** The flow goes on: calls whose input is half-way stay open, since vendors let text fall between its pieces. */
  #goOn(choice: number): StreamEvent[] {
    return [...this.#closeFlow(choice), ...this.#closeCalls(choice, isWhole)];
  }

  #closeCalls(choice: number, which: (call: OpenCall) => boolean): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const [key, open] of this.#tools) {
      if (open.choice !== choice || !which(open)) continue;
      this.#tools.delete(key);
      events.push(...endCall(open));
    }
    return events;
  }

  #closeFlow(choice: number): StreamEvent[] {
    const open = this.#flows.get(choice);
    this.#flows.delete(choice);
    return open ? [{ type: 'part-end', choice, index: open.index }] : [];
  }

  #flow(choice: number, kind: FlowKind, part: Part, delta: PartDelta): StreamEvent[] {
    const open = this.#flows.get(choice);
    if (open?.kind === kind) return [{ type: 'part-delta', choice, index: open.index, delta }];
    const events = this.#goOn(choice);
    const index = this.#next++;
    this.#flows.set(choice, { index, kind });
    events.push({ type: 'part-start', choice, index, part }, { type: 'part-delta', choice, index, delta });
    return events;
  }
}

/** Free text never shows that it is whole, and a call that has said nothing yet may still say something. */
function isWhole(call: OpenCall): boolean {
  // It is parsed again only when more of it has come.
  if (call.kind !== 'function' || call.looked === call.input.length) return false;
  call.looked = call.input.length;
  return parseInner(call.input) !== undefined;
}

/** Ends a call; one without arguments has said so by saying nothing. */
function endCall({ choice, index, kind, input }: OpenCall): StreamEvent[] {
  const end: StreamEvent = { type: 'part-end', choice, index };
  if (kind === 'custom' || input !== '') return [end];
  return [{ type: 'part-delta', choice, index, delta: { type: 'input', text: '{}' } }, end];
}
