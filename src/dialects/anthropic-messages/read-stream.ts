/** Streams of the Messages wire into neutral events. */
import { innerObject } from '../../core/inner-json.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { partEvents } from '../accumulate.ts';
import type { StreamReader } from '../codec.ts';
import { compact, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { Part, PartDelta, StopReason, StreamEvent } from '../neutral.ts';
import { readStop } from '../stop-words.ts';
import { readCitation } from './citations.ts';
import { raw, readBlock } from './read-parts.ts';
import { saysSomething } from './reply.ts';
import { messagesStops, refusedFor } from './stops.ts';
import { StreamCounts } from './usage.ts';

interface Block {
  /** The part as the block's start gave it; text and thinking wait for their first content. */
  part: Part;
  /** Its number once it has begun. */
  index?: number;
  /** Whether arguments came in pieces, or stood whole in the start. */
  inputInPieces: boolean;
  /** What deltas added to a block that is kept raw. */
  rawInput: string;
}

export class MessagesReader implements StreamReader {
  readonly #blocks = new Map<number, Block>();
  #parts = 0;
  #started = false;
  readonly #counts = new StreamCounts();
  #callsTools = false;
  #stopped = false;
  #ended = false;

  push(frame: Frame): StreamEvent[] {
    const event = parseObject(frame.data);
    if (!event || this.#ended) return [];
    switch (event.type) {
      case 'message_start':
        return this.#start(objectOf(event.message) ?? {});
      case 'content_block_start':
        return this.#open(numberOf(event.index) ?? 0, objectOf(event.content_block) ?? {});
      case 'content_block_delta':
        return this.#delta(numberOf(event.index) ?? 0, objectOf(event.delta) ?? {});
      case 'content_block_stop':
        return this.#close(numberOf(event.index) ?? 0);
      case 'message_delta':
        return this.#messageDelta(event);
      case 'message_stop':
        return this.#end();
      case 'error':
        return [readError(event)];
      default:
        return [];
    }
  }

  end(): StreamEvent[] {
    if (this.#ended) return [];
    return this.#stopped ? this.#end() : this.#closeAll(true);
  }

  #start(message: JsonObject): StreamEvent[] {
    this.#counts.begin(message.usage);
    if (this.#started) return [];
    this.#started = true;
    return [
      compact({
        type: 'start',
        dialect: 'anthropic-messages',
        id: textOf(message.id) ?? '',
        model: textOf(message.model) ?? '',
        created: 0,
        usage: this.#counts.latest,
        serviceTier: textOf(objectOf(message.usage)?.service_tier),
      }),
      // A turn that went on after a pause may bring what it has already.
      ...objectsOf(message.content).map(readBlock).filter(saysSomething).flatMap(this.#whole),
      ...this.#stop(message),
    ];
  }

  #open(key: number, content: JsonObject): StreamEvent[] {
    const before = this.#blocks.has(key) ? this.#close(key) : [];
    const part = readBlock(content);
    const block: Block = { part, inputInPieces: false, rawInput: '' };
    this.#blocks.set(key, block);
    switch (part.type) {
      case 'text':
      case 'thinking':
        return [...before, ...this.#firstContent(block)];
      case 'tool-call':
        return [...before, ...this.#begin(block, { ...part, input: '' })];
      default:
        return before;
    }
  }

  /** A block may start with content; what only it says (redacted thinking) starts the part at once. */
  #firstContent(block: Block): StreamEvent[] {
    const { part } = block;
    if (part.type === 'text' && part.text !== '') {
      const { text } = part;
      return [...this.#begin(block, { ...part, text: '' }), this.#piece(block, { type: 'text', text })];
    }
    if (part.type !== 'thinking') return [];
    if (part.encrypted !== undefined) return this.#begin(block, part);
    const { text, signature, ...rest } = part;
    const events: StreamEvent[] = [];
    block.part = { ...rest, text: '' };
    if (text !== '') events.push(...this.#add(block, { type: 'thinking', text }));
    if (signature) events.push(...this.#add(block, { type: 'signature', signature }));
    return events;
  }

  #delta(key: number, delta: JsonObject): StreamEvent[] {
    const block = this.#blocks.get(key);
    if (!block) return [];
    if (block.part.type === 'raw') return this.#addRaw(block, block.part.value, delta);
    switch (delta.type) {
      case 'text_delta':
        return this.#add(block, { type: 'text', text: textOf(delta.text) ?? '' });
      case 'thinking_delta':
        return this.#add(block, { type: 'thinking', text: textOf(delta.thinking) ?? '' });
      case 'signature_delta':
        return this.#add(block, { type: 'signature', signature: textOf(delta.signature) ?? '' });
      case 'input_json_delta': {
        const text = textOf(delta.partial_json) ?? '';
        block.inputInPieces ||= text !== '';
        return this.#add(block, { type: 'input', text });
      }
      case 'citations_delta': {
        const citation = objectOf(delta.citation);
        return citation ? this.#add(block, { type: 'citation', citation: readCitation(citation) }) : [];
      }
      default:
        return [];
    }
  }

  /** Empty pieces begin nothing. */
  #add(block: Block, delta: PartDelta): StreamEvent[] {
    if ('text' in delta && delta.text === '') return [];
    if (delta.type === 'signature' && delta.signature === '') return [];
    const begin = block.index === undefined ? this.#begin(block, block.part) : [];
    return [...begin, this.#piece(block, delta)];
  }

  #addRaw(block: Block, value: JsonObject, delta: JsonObject): StreamEvent[] {
    if (delta.type === 'input_json_delta') {
      block.rawInput += textOf(delta.partial_json) ?? '';
      return [];
    }
    for (const [field, piece] of Object.entries(delta)) {
      if (field === 'type') continue;
      const had = value[field];
      value[field] = typeof had === 'string' && typeof piece === 'string' ? had + piece : piece;
    }
    return [];
  }

  /** Arguments that never came are none, unless the stream was cut before they could. */
  #close(key: number, cut = false): StreamEvent[] {
    const block = this.#blocks.get(key);
    if (!block) return [];
    this.#blocks.delete(key);
    const { part, index } = block;
    if (part.type === 'raw') {
      const input = block.rawInput === '' ? undefined : innerObject(block.rawInput);
      return this.#whole(raw(input ? { ...part.value, input } : part.value));
    }
    if (index === undefined) return part.type === 'text' || part.type === 'thinking' ? [] : this.#whole(part);
    const events: StreamEvent[] = [];
    if (part.type === 'tool-call' && !block.inputInPieces && !cut) {
      events.push(this.#piece(block, { type: 'input', text: part.input }));
    }
    events.push({ type: 'part-end', choice: 0, index });
    return events;
  }

  #closeAll(cut = false): StreamEvent[] {
    return [...this.#blocks.keys()].flatMap((key) => this.#close(key, cut));
  }

  #messageDelta(event: JsonObject): StreamEvent[] {
    this.#counts.add(event.usage);
    return [...this.#closeAll(), ...this.#stop(objectOf(event.delta) ?? {}), ...this.#usageEvent()];
  }

  #stop(source: JsonObject): StreamEvent[] {
    const rawStop = textOf(source.stop_reason);
    if (rawStop === undefined || this.#stopped) return [];
    this.#stopped = true;
    const stopSequence = textOf(source.stop_sequence);
    return [
      ...this.#closeAll(),
      compact({
        type: 'stop',
        choice: 0,
        stop: readStop(messagesStops, rawStop, this.#callsTools),
        stopSequence,
        rawStop,
        refusedFor: refusedFor(source, this.#counts.raw),
      }),
    ];
  }

  #usageEvent(): StreamEvent[] {
    const { usage, latest } = this.#counts;
    return usage ? [compact({ type: 'usage', usage, isPromptUntold: latest === null || undefined })] : [];
  }

  #end(): StreamEvent[] {
    this.#ended = true;
    const open = this.#closeAll();
    const stop: StopReason = this.#callsTools ? 'tool-calls' : 'stop';
    return [...open, ...(this.#stopped ? [] : [{ type: 'stop', choice: 0, stop } as const]), { type: 'end' }];
  }

  #begin(block: Block, part: Part): StreamEvent[] {
    this.#callsTools ||= part.type === 'tool-call';
    block.index = this.#parts++;
    return [{ type: 'part-start', choice: 0, index: block.index, part }];
  }

  #whole = (part: Part): StreamEvent[] => {
    this.#callsTools ||= part.type === 'tool-call';
    return partEvents(0, this.#parts++, part);
  };

  #piece(block: Block, delta: PartDelta): StreamEvent {
    return { type: 'part-delta', choice: 0, index: block.index ?? 0, delta };
  }
}

function readError(event: JsonObject): StreamEvent {
  const error = objectOf(event.error);
  return compact({
    type: 'error',
    message: textOf(error?.message) ?? 'The upstream service broke off its answer',
    kind: textOf(error?.type),
  });
}
