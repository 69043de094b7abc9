/** What the relay must know of answers and streams of this wire that it passes on as they came. */
import { bufferOf } from '../../core/bytes.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { FrameFacts, Produced, ReplyFacts, StreamTap } from '../dialect.ts';
import { type AnswerEnd, endIn, isDue } from '../due-answers.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import { NOTHING_PRODUCED, saysAnything, sumOf, thought } from '../produced.ts';
import { DROP, PASS, tells, wordsOf } from '../tap-frames.ts';
import { readError } from './errors.ts';
import { messagesStops, refusedFor } from './stops.ts';
import { readUsage, StreamCounts } from './usage.ts';

/** An object that holds neither content nor an error is an error all the same. */
export function readReplyFacts(body: unknown): ReplyFacts {
  const answer = objectOf(body);
  const missing = Array.isArray(answer?.content) ? null : { message: 'its answer holds no content' };
  const end = endOf(answer ?? {});
  const produced = () => sumOf(objectsOf(answer?.content).map(producedByBlock));
  const says = () => objectsOf(answer?.content).some(saysSomething);
  return {
    usage: readUsage(answer?.usage),
    error: (answer && readError(answer)) ?? missing,
    produced,
    due: () => (isDue({ end, says, hasOutput: () => saysAnything(produced()) }) ? 1 : 0),
    finishReason: textOf(answer?.stop_reason) ?? null,
    containerId: containerIn(answer),
    isFiltered: end === 'filtered',
    refusedFor: end === 'filtered' && !says() ? refusedFor(answer ?? {}, answer?.usage) : undefined,
  };
}

/** Where it has run code; null stands there where it has not. */
const containerIn = (said: JsonObject | undefined): string | undefined =>
  textOf(objectOf(said?.container)?.id);

const endOf = (said: JsonObject): AnswerEnd =>
  endIn(messagesStops, textOf(said.stop_reason), textOf(said.stop_sequence));

/** What a context was summed up to, which is written and paid for beside the answer, whatever limit that has. */
const summaryIn = ({ type, content }: JsonObject): string | undefined =>
  type === 'compaction' || type === 'compaction_delta' ? textOf(content) : undefined;

/** Text, thinking, and what a tool is called with; results of the service's own tools are no output of the model. */
function producedByBlock(block: JsonObject): Produced {
  const isCall = typeof block.name === 'string' && 'input' in block;
  const input = isCall && hasArguments(block.input) ? JSON.stringify(block.input) : '';
  const said = [textOf(block.text), textOf(block.thinking), summaryIn(block)];
  const texts = [...said, isCall ? textOf(block.name) : '', input];
  return { text: texts.join(''), toolCalls: isCall ? 1 : 0, ...thoughtIn(block) };
}

const thoughtIn = ({ thinking }: JsonObject) => thought(textOf(thinking) ?? '');

const hasArguments = (input: unknown): boolean => Object.keys(objectOf(input) ?? {}).length > 0;

const TOLD = wordsOf('"message_', '"error"', '"compaction', '"ping"');

export class MessagesTap implements StreamTap {
  readonly #counts = new StreamCounts();
  #end: AnswerEnd = 'ordinary';
  refusedFor: string | null | undefined;
  complete = false;
  finishReason: string | null = null;
  containerId: string | undefined;
  summaryBytes = 0;

  get usage(): Usage | null {
    return this.#counts.usage;
  }

  get promptUsage(): Usage | null {
    return this.#counts.latest;
  }

  get isFiltered(): boolean {
    return this.#end === 'filtered';
  }

  get due(): number {
    return this.#end === 'written' ? 1 : 0;
  }

  wants(bytes: Uint8Array): boolean {
    return tells(bufferOf(bytes), TOLD);
  }

  read(frame: Frame): FrameFacts {
    const event = parseObject(frame.data);
    if (!event) return DROP;
    switch (event.type) {
      case 'message_start':
        return this.#start(objectOf(event.message) ?? {});
      case 'message_delta':
        this.#counts.add(event.usage);
        this.#finish(objectOf(event.delta));
        return PASS;
      case 'message_stop':
        this.complete = true;
        return { ...PASS, last: true };
      case 'ping':
        return PASS;
      case 'content_block_start':
      case 'content_block_delta':
        this.#noteSummary(objectOf(event.content_block) ?? objectOf(event.delta) ?? {});
        return { ...PASS, content: carries(event) };
      default: {
        const error = readError(event);
        return error ? { ...DROP, error } : PASS;
      }
    }
  }

  produced({ data }: Frame): Produced {
    const event = parseObject(data) ?? {};
    const delta = objectOf(event.delta) ?? {};
    if (event.type === 'content_block_start') return producedByBlock(objectOf(event.content_block) ?? {});
    if (event.type !== 'content_block_delta') return NOTHING_PRODUCED;
    const said = [textOf(delta.text), textOf(delta.thinking), summaryIn(delta)];
    const pieces = [...said, textOf(delta.partial_json)];
    return { text: pieces.join(''), toolCalls: 0, ...thoughtIn(delta) };
  }

  #start(message: JsonObject): FrameFacts {
    this.#counts.begin(message.usage);
    this.#finish(message);
    return { ...PASS, content: objectsOf(message.content).length > 0 };
  }

  #noteSummary(said: JsonObject): void {
    this.summaryBytes += Buffer.byteLength(summaryIn(said) ?? '');
  }

  #finish(said: JsonObject = {}): void {
    this.containerId = containerIn(said) ?? this.containerId;
    const reason = textOf(said.stop_reason);
    // The first that is told stands, as it does where the stream is converted.
    if (reason === undefined || this.finishReason) return;
    this.#end = endOf(said);
    this.refusedFor = refusedFor(said, this.#counts.raw);
    this.finishReason = reason;
    this.complete = true;
  }
}

/** Text and thinking begin empty; every other block, and every piece that is not empty, is seen by the caller. */
function carries(event: JsonObject): boolean {
  const block = objectOf(event.content_block);
  if (event.type === 'content_block_start' && block) return saysSomething(block);
  return saysPiece(block ?? objectOf(event.delta) ?? {});
}

const saysSomething = (block: JsonObject): boolean =>
  (block.type !== 'text' && block.type !== 'thinking') || saysPiece(block);

const saysPiece = (said: JsonObject): boolean =>
  ['text', 'thinking', 'content', 'partial_json', 'signature', 'citation', 'data'].some((field) => {
    const value = said[field];
    return value !== undefined && value !== '';
  });
