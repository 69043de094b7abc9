/**
 * Numbers the parts of a stream whose dialect has no part boundaries (OpenAI Chat, Gemini, most vendors' own wires):
 * says when a part begins and ends from what its pieces are. Readers feed it pieces; it answers events.
 */
import type { Part, PartDelta, StreamEvent, ThinkingPart, ToolCallPart } from './neutral.ts';

/** Parts whose pieces follow one another; a piece of another kind ends them. */
type FlowKind = 'text' | 'thinking' | 'refusal' | 'audio';

interface Open {
  index: number;
  kind: FlowKind;
}

export class PartStream {
  #next = 0;
  readonly #flows = new Map<number, Open>();
  /** Open tool calls by choice and the key by which their dialect names them. */
  readonly #tools = new Map<string, { choice: number; index: number }>();

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

  /** Begins a tool call. Several may be open at once; they stay open until the flow goes on or the answer ends. */
  tool(choice: number, key: string | number, call: Omit<ToolCallPart, 'type' | 'input'>): StreamEvent[] {
    const events = this.#closeFlow(choice);
    const index = this.#next++;
    this.#tools.set(`${choice}/${key}`, { choice, index });
    events.push({ type: 'part-start', choice, index, part: { type: 'tool-call', input: '', ...call } });
    return events;
  }

  toolInput(choice: number, key: string | number, text: string): StreamEvent[] {
    const open = this.#tools.get(`${choice}/${key}`);
    return open && text !== ''
      ? [{ type: 'part-delta', choice, index: open.index, delta: { type: 'input', text } }]
      : [];
  }

  endTool(choice: number, key: string | number): StreamEvent[] {
    const open = this.#tools.get(`${choice}/${key}`);
    this.#tools.delete(`${choice}/${key}`);
    return open ? [{ type: 'part-end', choice, index: open.index }] : [];
  }

  /** A part that comes at once and whole. */
  whole(choice: number, part: Part): StreamEvent[] {
    const index = this.#next++;
    return [
      ...this.close(choice),
      { type: 'part-start', choice, index, part },
      { type: 'part-end', choice, index },
    ];
  }

  /** Ends what is open in a choice. */
  close(choice: number): StreamEvent[] {
    const events = this.#closeFlow(choice);
    for (const [key, open] of this.#tools) {
      if (open.choice !== choice) continue;
      this.#tools.delete(key);
      events.push({ type: 'part-end', choice, index: open.index });
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
    const events = this.close(choice);
    const index = this.#next++;
    this.#flows.set(choice, { index, kind });
    events.push({ type: 'part-start', choice, index, part }, { type: 'part-delta', choice, index, delta });
    return events;
  }
}
