/** Parts of an answer told otherwise than they came, whole and in the pieces of a stream. */
import type { StreamWriter } from './codec.ts';
import type { ChatReply, Part, StreamEvent } from './neutral.ts';

export interface Telling {
  meant(reply: ChatReply): ChatReply;
  /** The same of a stream. */
  writer(inner: StreamWriter): StreamWriter;
}

export const AS_IT_CAME: Telling = { meant: (reply) => reply, writer: (inner) => inner };

/** `begin` is asked once for each answer how its parts are told, in their order. */
export const telling = (begin: () => (part: Part) => Part): Telling => ({
  meant(reply) {
    const told = begin();
    return {
      ...reply,
      choices: reply.choices.map((choice) => ({ ...choice, parts: choice.parts.map(told) })),
    };
  },
  writer: (inner) => new ToldWriter(inner, begin()),
});

class ToldWriter implements StreamWriter {
  constructor(
    readonly inner: StreamWriter,
    readonly told: (part: Part) => Part,
  ) {}

  get heldBytes(): number {
    return this.inner.heldBytes;
  }

  write(event: StreamEvent): string {
    if (event.type !== 'part-start') return this.inner.write(event);
    return this.inner.write({ ...event, part: this.told(event.part) });
  }
}
