/**
 * Converse told as Anthropic's Messages. Bedrock has two calls that stream Claude, and only the one of them speaks the
 * Messages wire; so told, whoever calls one of them need not care which has answered.
 */
import { MessagesWriter } from '../anthropic-messages/write-stream.ts';
import type { ReplyContext } from '../codec.ts';
import type { Frame } from '../frames.ts';
import { ConverseReader } from './read-stream.ts';

const contextOf = (requestId: string): ReplyContext => ({
  model: '',
  createdSec: 0,
  requestId,
  request: { dialect: 'anthropic-messages', model: '', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
});

export class ConverseAsMessages {
  readonly #reader = new ConverseReader();
  readonly #writer: MessagesWriter;

  constructor(id: string) {
    // Counts that are not there yet are no zeros: a stream that is cut before them must not look free.
    this.#writer = new MessagesWriter(contextOf(id), {});
  }

  /** The frames of the Messages wire that a Converse event means. */
  push(frame: Frame): string {
    return this.#reader
      .push(frame)
      .map((event) => this.#writer.write(event))
      .join('');
  }

  end(): string {
    return this.#reader
      .end()
      .map((event) => this.#writer.write(event))
      .join('');
  }
}
