/**
 * What parent and workers say to each other: orders, and questions with answers. Either end may ask; a question whose
 * asker or answerer is gone is never answered, so every question has a deadline.
 */
import pTimeout from 'p-timeout';
import { z } from 'zod';

const message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tell'), order: z.string(), value: z.unknown() }),
  z.object({ kind: z.literal('ask'), id: z.number(), question: z.string(), value: z.unknown() }),
  z.object({ kind: z.literal('answer'), id: z.number(), value: z.unknown() }),
]);
export type Message = z.output<typeof message>;

export class Line {
  readonly #send: (message: Message) => void;
  readonly #orders = new Map<string, (value: unknown) => void>();
  readonly #answers = new Map<string, (value: unknown) => unknown>();
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #lastId = 0;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  tell(order: string, value: unknown = null): void {
    this.#send({ kind: 'tell', order, value });
  }

  /** The other end's answer; undefined when none came in time. */
  async ask(question: string, withinMs: number, value: unknown = null): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    try {
      this.#send({ kind: 'ask', id, question, value });
      return await pTimeout(promise, { milliseconds: withinMs, fallback: () => undefined });
    } finally {
      this.#waiting.delete(id);
    }
  }

  onTell(order: string, carryOut: (value: unknown) => void): void {
    this.#orders.set(order, carryOut);
  }

  onAsk(question: string, answer: (value: unknown) => unknown): void {
    this.#answers.set(question, answer);
  }

  /** Takes what came from the other end; what is no message of ours is ignored. */
  receive(received: unknown): void {
    const parsed = message.safeParse(received);
    if (!parsed.success) return;
    const { data } = parsed;
    if (data.kind === 'tell') this.#orders.get(data.order)?.(data.value);
    else if (data.kind === 'answer') this.#waiting.get(data.id)?.(data.value);
    else void this.#reply(data.id, data.question, data.value);
  }

  async #reply(id: number, question: string, value: unknown): Promise<void> {
    const answer = await this.#answers.get(question)?.(value);
    this.#send({ kind: 'answer', id, value: answer });
  }
}
