/** Streams of Bedrock's Converse into neutral events. The name of an event is in the frame, its fields are the data. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { StreamReader } from '../codec.ts';
import { compact, numberOf, objectOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { Part, PartDelta, StreamEvent } from '../neutral.ts';
import { readCitation } from './read-parts.ts';
import { stopSequenceIn } from './reply.ts';
import { readStop } from './stops.ts';
import { readUsage } from './usage.ts';

interface Block {
  index: number;
  isCall: boolean;
  /** Whether the call has said arguments. */
  hasInput: boolean;
}

const TEXT: Part = { type: 'text', text: '' };
const THINKING: Part = { type: 'thinking', text: '', origin: 'bedrock-converse' };

export class ConverseReader implements StreamReader {
  readonly #blocks = new Map<number, Block>();
  #parts = 0;
  #started = false;
  #stopped = false;
  #measured = false;
  #ended = false;
  #failed = false;

  push({ event, data }: Frame): StreamEvent[] {
    const fields = parseObject(data);
    if (!fields || this.#failed) return [];
    const key = numberOf(fields.contentBlockIndex) ?? 0;
    switch (event) {
      case 'messageStart':
        return this.#start();
      case 'contentBlockStart':
        return [...this.#start(), ...this.#open(key, objectOf(objectOf(fields.start)?.toolUse))];
      case 'contentBlockDelta':
        return [...this.#start(), ...this.#delta(key, objectOf(fields.delta) ?? {})];
      case 'contentBlockStop':
        return this.#close(key);
      case 'messageStop':
        return [...this.#stop(fields), ...this.#endIfWhole()];
      case 'metadata':
        return [...this.#measure(fields), ...this.#endIfWhole()];
      case 'error':
        return this.#fail(objectOf(fields.error) ?? fields);
      default:
        return [];
    }
  }

  end(): StreamEvent[] {
    if (this.#failed || this.#ended) return [];
    this.#ended = true;
    const open = this.#closeAll(!this.#stopped);
    return this.#stopped ? [...open, { type: 'end' }] : open;
  }

  #measure(fields: JsonObject): StreamEvent[] {
    const usage = readUsage(fields.usage);
    if (!usage) return [];
    this.#measured = true;
    return [{ type: 'usage', usage }];
  }

  /** The usage comes before the stop or after it. */
  #endIfWhole(): StreamEvent[] {
    if (!this.#stopped || !this.#measured || this.#ended) return [];
    this.#ended = true;
    return [{ type: 'end' }];
  }

  #start(): StreamEvent[] {
    if (this.#started) return [];
    this.#started = true;
    return [{ type: 'start', dialect: 'bedrock-converse', id: '', model: '', created: 0, usage: null }];
  }

  /** Only calls have a start; the other blocks begin with their first piece. */
  #open(key: number, call: JsonObject | undefined): StreamEvent[] {
    if (!call) return [];
    const [id, name] = [textOf(call.toolUseId) ?? '', textOf(call.name) ?? ''];
    return this.#begin(key, { type: 'tool-call', id, name, input: '', kind: 'function' });
  }

  #delta(key: number, delta: JsonObject): StreamEvent[] {
    if (typeof delta.text === 'string') return this.#add(key, TEXT, { type: 'text', text: delta.text });
    const citation = objectOf(delta.citation);
    if (citation) return this.#add(key, TEXT, { type: 'citation', citation: readCitation(citation) });
    const input = textOf(objectOf(delta.toolUse)?.input);
    if (input !== undefined) return this.#input(key, input);
    const reasoning = objectOf(delta.reasoningContent) ?? {};
    const { text, signature, redactedContent: encrypted } = reasoning;
    if (typeof text === 'string') return this.#add(key, THINKING, { type: 'thinking', text });
    if (typeof signature === 'string') return this.#add(key, THINKING, { type: 'signature', signature });
    if (typeof encrypted === 'string') return this.#add(key, THINKING, { type: 'encrypted', encrypted });
    return [];
  }

  #input(key: number, text: string): StreamEvent[] {
    const block = this.#blocks.get(key);
    if (!block || text === '') return [];
    block.hasInput = true;
    return [{ type: 'part-delta', choice: 0, index: block.index, delta: { type: 'input', text } }];
  }

  /** Empty pieces begin nothing. */
  #add(key: number, part: Part, delta: PartDelta): StreamEvent[] {
    if ('text' in delta && delta.text === '') return [];
    const begin = this.#blocks.has(key) ? [] : this.#begin(key, part);
    const index = this.#blocks.get(key)?.index ?? 0;
    return [...begin, { type: 'part-delta', choice: 0, index, delta }];
  }

  #begin(key: number, part: Part): StreamEvent[] {
    const index = this.#parts++;
    this.#blocks.set(key, { index, isCall: part.type === 'tool-call', hasInput: false });
    return [{ type: 'part-start', choice: 0, index, part }];
  }

  /** Arguments that never came are none, unless the stream was cut before they could. */
  #close(key: number, cut = false): StreamEvent[] {
    const block = this.#blocks.get(key);
    if (!block) return [];
    this.#blocks.delete(key);
    const { index, isCall, hasInput } = block;
    const end: StreamEvent = { type: 'part-end', choice: 0, index };
    if (!isCall || hasInput || cut) return [end];
    return [{ type: 'part-delta', choice: 0, index, delta: { type: 'input', text: '{}' } }, end];
  }

  #closeAll(cut = false): StreamEvent[] {
    return [...this.#blocks.keys()].flatMap((key) => this.#close(key, cut));
  }

  #stop(fields: JsonObject): StreamEvent[] {
    if (this.#stopped) return [];
    this.#stopped = true;
    const rawStop = textOf(fields.stopReason) ?? '';
    const stopSequence = stopSequenceIn(fields);
    return [
      ...this.#closeAll(),
      compact({ type: 'stop', choice: 0, stop: readStop(rawStop), stopSequence, rawStop }),
    ];
  }

  #fail(error: JsonObject): StreamEvent[] {
    this.#failed = true;
    return [
      compact({
        type: 'error',
        message: textOf(error.message) ?? 'The upstream service broke off its answer',
        kind: textOf(error.type),
      }),
    ];
  }
}
