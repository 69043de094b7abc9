/** Reasoning as text between think marks, for clients that know nothing of reasoning. */
import type { StreamWriter } from './codec.ts';
import type { ChatReply, Part, StreamEvent } from './neutral.ts';

const OPEN = '<think>\n';
const CLOSE = '\n</think>\n';

/** The reasoning of each choice as text in front of what it says. */
export function thinkingAsText(reply: ChatReply): ChatReply {
  const choices = reply.choices.map((choice) => {
    const thoughts = choice.parts.filter((part) => part.type === 'thinking').map((part) => part.text);
    if (thoughts.join('') === '') return choice;
    const shown: Part = { type: 'text', text: OPEN + thoughts.join('') + CLOSE };
    return { ...choice, parts: [shown, ...choice.parts.filter((part) => part.type !== 'thinking')] };
  });
  return { ...reply, choices };
}

/** Writes thinking parts as text parts between think marks. */
export class ThinkingWriter implements StreamWriter {
  readonly #thinking = new Set<number>();

  constructor(readonly inner: StreamWriter) {}

  get heldBytes(): number {
    return this.inner.heldBytes;
  }

  write(event: StreamEvent): string {
    if (event.type === 'part-start' && event.part.type === 'thinking') {
      this.#thinking.add(event.index);
      const { choice, index } = event;
      const begun = this.inner.write({ type: 'part-start', choice, index, part: { type: 'text', text: '' } });
      return begun + this.#text(choice, index, OPEN + event.part.text);
    }
    const index = 'index' in event ? event.index : -1;
    if (!this.#thinking.has(index)) return this.inner.write(event);
    if (event.type === 'part-delta') {
      return event.delta.type === 'thinking' ? this.#text(event.choice, index, event.delta.text) : '';
    }
    if (event.type !== 'part-end') return this.inner.write(event);
    this.#thinking.delete(index);
    return this.#text(event.choice, index, CLOSE) + this.inner.write(event);
  }

  #text(choice: number, index: number, text: string): string {
    return this.inner.write({ type: 'part-delta', choice, index, delta: { type: 'text', text } });
  }
}
