/** Streams of Ollama's /api/chat: each line is a message of its own, the last one says that it is done. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { answerIds, type CallIds, fingerprint } from '../call-ids.ts';
import type { ReplyContext, StreamReader, StreamWriter } from '../codec.ts';
import { compact, objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame, type Frame } from '../frames.ts';
import type { Part, PartDelta, StopReason, StreamEvent } from '../neutral.ts';
import { PartStream } from '../part-stream.ts';
import { readCall, writeCall } from './messages.ts';
import { createdAt, createdSec, readStop, writeStop } from './reply.ts';
import { readUsage, writeUsage } from './usage.ts';

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
    const [model, created] = [textOf(line.model) ?? '', createdSec(line.created_at)];
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

/** A call waits for its arguments, which go out whole; text and thinking go out as they come. */
export class OllamaWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #open = new Map<number, Part>();
  #created: number;
  #stop: StopReason = 'stop';
  #usage: Usage | null = null;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#created = context.createdSec;
  }

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        this.#created = event.created || this.#created;
        return '';
      case 'part-start':
        return event.choice === 0 ? this.#begin(event.index, event.part) : '';
      case 'part-delta':
        return this.#delta(event.index, event.delta);
      case 'part-end':
        return this.#finish(event.index);
      case 'stop':
        if (event.choice === 0) this.#stop = event.stop;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return dataFrame(JSON.stringify({ error: event.message }));
      case 'end':
        return this.#line(
          { content: '' },
          { done_reason: writeStop(this.#stop), ...writeUsage(this.#usage ?? noUsage()) },
        );
      case 'logprobs':
        return '';
    }
  }

  #begin(index: number, part: Part): string {
    this.#open.set(index, part);
    return part.type === 'image' && part.source.kind === 'data'
      ? this.#line({ content: '', images: [part.source.data] })
      : '';
  }

  #delta(index: number, delta: PartDelta): string {
    const part = this.#open.get(index);
    if (!part) return '';
    switch (delta.type) {
      case 'text':
      case 'refusal':
        return this.#line({ content: delta.text });
      case 'thinking':
        return this.#line({ content: '', thinking: delta.text });
      case 'input':
        if (part.type === 'tool-call') this.#open.set(index, { ...part, input: part.input + delta.text });
        return '';
      case 'audio':
        return delta.transcript ? this.#line({ content: delta.transcript }) : '';
      default:
        return '';
    }
  }

  #finish(index: number): string {
    const part = this.#open.get(index);
    this.#open.delete(index);
    return part?.type === 'tool-call'
      ? this.#line({ content: '', tool_calls: [writeCall(part, false)] })
      : '';
  }

  #line(message: JsonObject, last?: JsonObject): string {
    const line = compact<JsonObject>({
      model: this.#context.model,
      created_at: createdAt(this.#created),
      message: { role: 'assistant', ...message },
      done: last !== undefined,
      ...last,
    });
    return dataFrame(JSON.stringify(line));
  }
}
