/** Streams of Ollama's /api/chat: each line is a message of its own, the last one says that it is done. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import { answerIds, type CallIds, fingerprint } from '../call-ids.ts';
import type { StreamReader } from '../codec.ts';
import { objectOf, objectsOf, textOf, writtenSec } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { StreamEvent } from '../neutral.ts';
import { PartStream } from '../part-stream.ts';
import { readCall } from './reply.ts';
import { readStop } from './stops.ts';
import { readUsage } from './usage.ts';

export class OllamaReader implements StreamReader {
  readonly #parts = new PartStream();
  #ids: CallIds | undefined;
  #calls = 0;
  #ended = false;

  push(frame: Frame): StreamEvent[] {
    const line = parseObject(frame.data);
    if (!line || this.#ended) return [];
    const error = textOf(line.error);
    if (error !== undefined) {
      this.#ended = true;
      return [{ type: 'error', message: error }];
    }
    const events = [...this.#start(line), ...this.#message(objectOf(line.message) ?? {})];
    return line.done === true ? [...events, ...this.#end(line)] : events;
  }

  end(): StreamEvent[] {
    return this.#ended ? [] : this.#parts.close(0);
  }

  #start(line: JsonObject): StreamEvent[] {
    if (this.#ids) return [];
    this.#ids = answerIds(fingerprint(line.created_at ?? ''));
    const [model, created] = [textOf(line.model) ?? '', writtenSec(line.created_at)];
    return [{ type: 'start', dialect: 'ollama', id: '', model, created, usage: null }];
  }

  #message(message: JsonObject): StreamEvent[] {
    const events = [
      ...this.#parts.thinking(0, textOf(message.thinking) ?? '', { origin: 'ollama' }),
      ...this.#parts.text(0, textOf(message.content) ?? ''),
    ];
    for (const given of objectsOf(message.tool_calls)) {
      const { type: _, input, ...call } = readCall(given, this.#ids ?? answerIds(''));
      const key = this.#calls++;
      events.push(
        ...this.#parts.tool(0, key, call),
        ...this.#parts.toolInput(0, key, input),
        ...this.#parts.endTool(0, key),
      );
    }
    return events;
  }

  #end(line: JsonObject): StreamEvent[] {
    this.#ended = true;
    const rawStop = textOf(line.done_reason) ?? 'stop';
    const usage = readUsage(line);
    return [
      ...this.#parts.close(0),
      { type: 'stop', choice: 0, stop: readStop(rawStop, this.#calls > 0), rawStop },
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      { type: 'end' },
    ];
  }
}
