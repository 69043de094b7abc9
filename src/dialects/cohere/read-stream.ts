/** Streams of Cohere's v2 chat into neutral events. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { StreamReader } from '../codec.ts';
import { compact, numberOf, objectOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { StreamEvent } from '../neutral.ts';
import { PartStream } from '../part-stream.ts';
import { readCall, readCitation, saysNothing } from './reply.ts';
import { readStop } from './stops.ts';
import { readUsage } from './usage.ts';

const THOUGHT = { origin: 'cohere' as const };

export class CohereReader implements StreamReader {
  readonly #parts = new PartStream();
  /** Whether text is what came last, so that a citation belongs to it. */
  #inText = false;
  /** Calls that have said arguments, by their number. */
  readonly #said = new Set<number>();
  #ended = false;

  push(frame: Frame): StreamEvent[] {
    const event = parseObject(frame.data);
    if (!event || this.#ended) return [];
    const message = objectOf(objectOf(event.delta)?.message) ?? {};
    const index = numberOf(event.index) ?? 0;
    switch (event.type) {
      case 'message-start':
        return [
          {
            type: 'start',
            dialect: 'cohere',
            id: textOf(event.id) ?? '',
            model: '',
            created: 0,
            usage: null,
          },
        ];
      case 'content-start':
      case 'content-delta':
        return this.#content(objectOf(message.content) ?? {});
      case 'tool-plan-delta':
        this.#inText = false;
        return this.#parts.thinking(0, textOf(message.tool_plan) ?? '', THOUGHT);
      case 'tool-call-start':
        return this.#call(index, objectOf(message.tool_calls) ?? {});
      case 'tool-call-delta':
        return this.#arguments(index, objectOf(objectOf(message.tool_calls)?.function) ?? {});
      case 'tool-call-end':
        return this.#parts.endTool(0, index);
      case 'citation-start':
        return this.#cite(objectOf(message.citations) ?? {});
      case 'message-end':
        return this.#end(objectOf(event.delta) ?? {});
      default:
        // Errors come without a type.
        return typeof event.message === 'string' && !event.type
          ? [{ type: 'error', message: event.message }]
          : [];
    }
  }

  end(): StreamEvent[] {
    return this.#ended ? [] : this.#parts.close(0);
  }

  #content(content: JsonObject): StreamEvent[] {
    const [text, thinking] = [textOf(content.text) ?? '', textOf(content.thinking) ?? ''];
    if (text !== '') this.#inText = true;
    if (thinking !== '') this.#inText = false;
    return [...this.#parts.thinking(0, thinking, THOUGHT), ...this.#parts.text(0, text)];
  }

  #call(index: number, call: JsonObject): StreamEvent[] {
    this.#inText = false;
    const { type: _type, input, ...begin } = readCall(call);
    const events = this.#parts.tool(0, index, begin);
    return input === '{}' ? events : [...events, ...this.#arguments(index, { arguments: input })];
  }

  #arguments(index: number, called: JsonObject): StreamEvent[] {
    const text = textOf(called.arguments) ?? '';
    if (!this.#said.has(index) && saysNothing(text)) return [];
    this.#said.add(index);
    return this.#parts.toolInput(0, index, text);
  }

  #cite(citation: JsonObject): StreamEvent[] {
    if (!this.#inText) return [];
    const delta = { type: 'citation' as const, citation: readCitation(citation) };
    return this.#parts.piece(0, 'text', { type: 'text', text: '' }, delta);
  }

  #end(delta: JsonObject): StreamEvent[] {
    this.#ended = true;
    const error = textOf(delta.error);
    if (error !== undefined) return [...this.#parts.close(0), { type: 'error', message: error }];
    const rawStop = textOf(delta.finish_reason);
    const usage = readUsage(delta.usage);
    return [
      ...this.#parts.close(0),
      compact({ type: 'stop', choice: 0, stop: readStop(rawStop ?? ''), rawStop }),
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      { type: 'end' },
    ];
  }
}
