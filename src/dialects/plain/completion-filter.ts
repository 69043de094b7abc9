/**
 * Completions whose answers are looked through for words. Their chunks are those of chats that call their text by
 * another name, so that a chat's reader reads them.
 */
import type { JsonObject } from '../../core/json.ts';
import { parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { StreamReader, StreamWriter } from '../codec.ts';
import { ConvertingStream } from '../converting-stream.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame, type Frame } from '../frames.ts';
import type { Choice, StreamEvent } from '../neutral.ts';
import { ChatStreamReader } from '../openai-chat/read-stream.ts';
import { openaiChatStops } from '../openai-chat/stops.ts';
import { writeUsage } from '../openai-chat/usage.ts';
import { type Passage, samePassage } from '../passage.ts';
import { writeStop } from '../stop-words.ts';
import { FilteredReader, filteredChoice, type WordFilter } from '../word-filter.ts';
import { openaiCompletions, saidIn } from './openai-completions.ts';

export function filteredCompletions(filter: WordFilter): Passage {
  const same = samePassage(openaiCompletions);
  return {
    ...same,
    reply(text, body) {
      const passed = same.reply(text, body);
      const answer = objectOf(body);
      const choices = objectsOf(answer?.choices);
      const shown = choices.map((choice) => cleanChoice(choice, filter));
      if (shown.every((choice, i) => choice === choices[i])) return passed;
      return { ...passed, text: JSON.stringify({ ...answer, choices: shown }) };
    },
    stream({ wantsUsage }) {
      const reader = new FilteredReader(new CompletionReader(), filter);
      return new ConvertingStream(reader, new CompletionWriter(wantsUsage), openaiCompletions.endMarker);
    },
  };
}

/** The choice without the words; the very same when it has none. */
function cleanChoice(choice: JsonObject, filter: WordFilter): JsonObject {
  const text = textOf(saidIn(choice).content) ?? '';
  const said: Choice = { index: 0, parts: [{ type: 'text', text }], stop: 'stop' };
  const kept = filteredChoice(said, filter);
  const [part] = kept.parts;
  if (kept === said || part?.type !== 'text') return choice;
  const message = objectOf(choice.message);
  return {
    ...choice,
    ...(message ? { message: { ...message, content: part.text } } : { text: part.text }),
    ...(kept.stop === 'content-filter' && { finish_reason: 'content_filter' }),
    // They spell the word out.
    logprobs: null,
  };
}

class CompletionReader implements StreamReader {
  readonly #chat = new ChatStreamReader();

  push(frame: Frame): StreamEvent[] {
    const chunk = parseObject(frame.data);
    if (!chunk?.choices) return this.#chat.push(frame);
    const choices = objectsOf(chunk.choices).map(({ index = 0, finish_reason = null, ...choice }) => ({
      index,
      finish_reason,
      delta: saidIn(choice),
    }));
    return this.#chat.push({ ...frame, data: JSON.stringify({ ...chunk, choices }) });
  }

  end(): StreamEvent[] {
    return this.#chat.end();
  }
}

class CompletionWriter implements StreamWriter {
  readonly heldBytes = 0;
  #head: JsonObject = {};
  #usage: Usage | null = null;

  constructor(readonly wantsUsage: boolean) {}

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'start': {
        const { id, created, model, extra } = event;
        this.#head = { id, object: 'text_completion', created, model, ...extra };
        return '';
      }
      case 'part-delta':
        return event.delta.type === 'text' ? this.#chunk(event.choice, event.delta.text, null) : '';
      case 'stop':
        return this.#chunk(event.choice, '', writeStop(openaiChatStops, event.stop));
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'end':
        return this.wantsUsage && this.#usage ? this.#frame([], { usage: writeUsage(this.#usage) }) : '';
      default:
        return '';
    }
  }

  #chunk(index: number, text: string, finish_reason: string | null): string {
    return this.#frame([{ text, index, logprobs: null, finish_reason }]);
  }

  #frame(choices: JsonObject[], more: JsonObject = {}): string {
    return dataFrame(JSON.stringify({ ...this.#head, choices, ...more }));
  }
}
