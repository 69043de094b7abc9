/**
 * Bedrock's binary streams as the event stream of the Messages wire. One of its calls sends that wire's events inside
 * chunks, the other sends events of its own; so told, nobody behind this file need know which has answered.
 */
import { limits } from '../../core/limits.ts';
import { type EventMessage, EventMessageReader, eventOf } from '../aws-event-stream.ts';
import { ConverseAsMessages } from './as-messages.ts';

const CONVERSE: ReadonlySet<string> = new Set([
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
]);

export class BedrockSplitter {
  readonly #messages: EventMessageReader;
  readonly #converse: ConverseAsMessages;

  /** `answerId` names an answer of Converse, which gives it no name of its own. */
  constructor(answerId: string = crypto.randomUUID(), frameBytesMax: number = limits.streamFrameBytes) {
    this.#messages = new EventMessageReader(frameBytesMax);
    this.#converse = new ConverseAsMessages(answerId);
  }

  get heldBytes(): number {
    return this.#messages.heldBytes;
  }

  push(chunk: Uint8Array): Uint8Array[] {
    return this.#messages.push(chunk).flatMap((message) => this.#frames(message));
  }

  /** The stream is over: an answer of Converse ends only here, since its usage may come last. */
  end(): Uint8Array[] {
    return framesOf(this.#converse.end());
  }

  #frames(message: EventMessage): Uint8Array[] {
    const { event, data } = eventOf(message);
    if (!CONVERSE.has(event)) return [Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)];
    return framesOf(this.#converse.push({ event, data: JSON.stringify(data) }));
  }
}

/** One event of Converse may mean several frames. */
const framesOf = (text: string): Uint8Array[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => Buffer.from(`${frame}\n\n`));
