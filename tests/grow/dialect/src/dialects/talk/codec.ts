/** Talk to and from the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import { joinedText } from '../accumulate.ts';
import type { ChatCodec, StreamWriter } from '../codec.ts';
import { dataFrame } from '../frames.ts';
import type { StopReason, StreamEvent } from '../neutral.ts';
import { openaiChatCodec } from '../openai-chat/codec.ts';
import { writeStop } from '../stop-words.ts';
import { asChat } from './dialect.ts';
import { talkStops } from './stops.ts';

const ending = (stop: StopReason, usage: Usage | null): JsonObject => ({
  why: writeStop(talkStops, stop),
  ...(usage && { units: { asked: promptTokens(usage), said: completionTokens(usage) } }),
});

class TalkWriter implements StreamWriter {
  readonly heldBytes = 0;
  #stop: StopReason = 'other';
  #usage: Usage | null = null;

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'part-delta':
        return event.delta.type === 'text' ? dataFrame(JSON.stringify({ said: event.delta.text })) : '';
      case 'stop':
        this.#stop = event.stop;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return dataFrame(JSON.stringify({ fault: event.code ?? 'upstream_error', because: event.message }));
      case 'end':
        return dataFrame(JSON.stringify(ending(this.#stop, this.#usage)));
      default:
        return '';
    }
  }
}

export const talkCodec: ChatCodec = {
  ...openaiChatCodec,
  readRequest: (body, path) => ({
    ...openaiChatCodec.readRequest(asChat(body), path),
    dialect: 'talk',
  }),
  writeReply: ({ choices: [choice], usage }) => ({
    said: joinedText(choice?.parts ?? []),
    ...ending(choice?.stop ?? 'other', usage),
  }),
  streamWriter: () => new TalkWriter(),
};
