/**
 * The passage between a caller and an upstream of different wires: requests, answers and streams are read into the
 * neutral chat and written from it. Also the way of streams of the same dialect that must be written anew.
 */
import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Usage } from '../core/usage.ts';
import { Accumulator, eventsOf } from './accumulate.ts';
import type { ChatExtension } from './chat-extension.ts';
import type { ChatCodec, ReplyContext, StreamReader, StreamWriter, UpstreamWire } from './codec.ts';
import { asDeclared, DeclaredWriter } from './custom-tools.ts';
import type {
  Dialect,
  ForwardSettings,
  PathFacts,
  Produced,
  ReplyFacts,
  RequestFacts,
  SpokenDialect,
  UpstreamErrorBody,
} from './dialect.ts';
import { droppedExtras } from './dropped-extras.ts';
import { DroppedFields } from './dropped-fields.ts';
import { refuseKeptContext } from './dropped-settings.ts';
import { type Frame, parseFrame } from './frames.ts';
import { inlineMedia } from './inline-media.ts';
import { secondsIn } from './media-output.ts';
import type { ChatReply, ChatRequest, Part, PartDelta, StreamEvent } from './neutral.ts';
import type { FrameStep, Passage, PassedReply, StreamPassage } from './passage.ts';
import { ReportedUsage } from './reported-usage.ts';
import { FilteredReader, filteredReply, type WordFilter } from './word-filter.ts';

export interface Conversion {
  caller: { dialect: Dialect; codec: ChatCodec };
  upstream: UpstreamWire;
  /** The dialect that the upstream is spoken to in; the caller's own where the wire has none. */
  spoken: SpokenDialect;
  /** What the caller's path said. */
  path: PathFacts;
  requestId: string;
  /** Unix seconds when the call began. */
  createdSec: number;
  extensions?: ReadonlySet<ChatExtension>;
  defaultMaxTokens: number;
  /** Shows reasoning as text between think marks, for clients that know nothing of reasoning. */
  thinkingToContent: boolean;
  /** Both sides speak one dialect: the request goes up as it is, and only the answer is written anew. */
  forwards?: boolean;
  /** Streams say nothing but words of the dialect, also where both sides know more. */
  strict?: boolean;
  /** Words that the answer must not hold. */
  filter?: WordFilter;
}

export function convertingPassage(conversion: Conversion): Required<Omit<Passage, 'text'>> {
  const { caller, upstream, path } = conversion;
  const dropped = new DroppedFields();
  let read: ChatRequest | null = null;

  const contextOf = (wantsUsage: boolean): ReplyContext => ({
    model: path.model ?? read?.model ?? '',
    createdSec: conversion.createdSec,
    requestId: conversion.requestId,
    request: read ?? emptyRequest(caller.dialect.id),
    wantsUsage,
  });
  const passed = (given: ChatReply): PassedReply => {
    const filtered = conversion.filter ? filteredReply(given, conversion.filter) : given;
    const answer = asDeclared(filtered, read ?? NO_TOOLS);
    const shown = conversion.thinkingToContent ? thinkingAsText(answer) : answer;
    const told = (usage: Usage | null) =>
      JSON.stringify(caller.codec.writeReply({ ...shown, usage }, contextOf(true)));
    return { facts: factsOf(answer), text: told(shown.usage), counted: told };
  };
  const streamFrom = (given: StreamReader, request: RequestFacts, readsOn = false): StreamPassage => {
    const { wantsUsage } = request;
    const tap = conversion.forwards ? caller.dialect.tap(request) : null;
    const reader = conversion.filter ? new FilteredReader(given, conversion.filter, { tap, readsOn }) : given;
    const context = contextOf(wantsUsage);
    const writer = new DeclaredWriter(caller.codec.streamWriter(context), context.request);
    const strict = conversion.strict ? new StrictWriter(writer) : writer;
    const shown = conversion.thinkingToContent ? new ThinkingWriter(strict) : strict;
    return new ConvertingStream(reader, shown, caller.dialect.endMarker);
  };

  return {
    upstream: conversion.spoken,
    converted: { to: upstream.id, dropped: dropped.names },
    async inline(body, load) {
      read = caller.codec.readRequest(body, path);
      await inlineMedia(read, load);
    },
    request(body: JsonObject, set: ForwardSettings) {
      read ??= caller.codec.readRequest(body, path);
      if (conversion.forwards) return caller.dialect.forward(body, set);
      if (read.dialect !== upstream.id) {
        refuseKeptContext(read);
        for (const name of droppedExtras(read, caller.codec)) dropped.add(name);
      }
      return upstream.writeRequest(read, {
        ...set,
        defaultMaxTokens: conversion.defaultMaxTokens,
        extensions: conversion.extensions,
        drop: (what) => dropped.add(what),
      });
    },
    reply(text: string, body: unknown) {
      const error = upstream.readError(body);
      if (error || !isObject(body)) return { facts: failedFacts(error), text: '' };
      const answer = upstream.readReply(body as JsonObject);
      if (!conversion.filter || !conversion.forwards) return passed(answer);
      // Read for its words alone: without them it passes as it came.
      const isClean = filteredReply(answer, conversion.filter) === answer && !conversion.thinkingToContent;
      return isClean ? { facts: caller.dialect.readReply(body), text } : passed(answer);
    },
    stream: (request, readsOn) => streamFrom(upstream.streamReader(), request, readsOn),
    streamOfJson(request, readsOn) {
      const reader = upstream.streamsJson ? upstream.streamReader() : new WholeReader(upstream);
      return streamFrom(reader, request, readsOn);
    },
    collect() {
      const reader = upstream.streamReader();
      const answer = new Accumulator();
      const take = (events: readonly StreamEvent[]): UpstreamErrorBody | null => {
        for (const event of events) {
          if (event.type === 'error') return errorOf(event);
          answer.push(event);
        }
        return null;
      };
      return {
        push(bytes) {
          const frame = parseFrame(bytes);
          return frame && take(reader.push(frame));
        },
        end: () => (take(reader.end()) === null && answer.complete ? passed(answer.reply) : null),
        produced: () => producedBy(answer.reply.choices.flatMap(({ parts }) => parts)),
      };
    },
  };
}

/** A whole answer where a stream was asked for: its only frame tells everything. */
class WholeReader implements StreamReader {
  constructor(readonly wire: UpstreamWire) {}

  push({ data }: Frame): StreamEvent[] {
    const body = parseJson(data);
    const error = this.wire.readError(body);
    if (error) {
      const { message, code, type, status } = error;
      return [{ type: 'error', message, code, kind: type, status }];
    }
    return isObject(body) ? eventsOf(this.wire.readReply(body as JsonObject)) : [];
  }

  end(): StreamEvent[] {
    return [];
  }
}

const errorOf = ({
  message,
  code,
  kind,
  status,
}: Extract<StreamEvent, { type: 'error' }>): UpstreamErrorBody => ({ message, code, type: kind, status });

const NO_TOOLS = { tools: [] };

const emptyRequest = (dialect: ChatRequest['dialect']): ChatRequest => ({
  dialect,
  model: '',
  stream: false,
  messages: [],
  tools: [],
  extra: {},
});

const failedFacts = (error: UpstreamErrorBody | null): ReplyFacts => ({
  usage: null,
  error: error ?? { message: 'the answer is no JSON object' },
  produced: () => ({ text: '', toolCalls: 0 }),
  finishReason: null,
});

const factsOf = (reply: ChatReply): ReplyFacts => ({
  usage: reply.usage,
  error: null,
  produced: () => producedBy(reply.choices.flatMap((choice) => choice.parts)),
  finishReason: reply.choices[0]?.rawStop ?? reply.choices[0]?.stop ?? null,
});

const NOTHING_PRODUCED: Produced = { text: '', toolCalls: 0 };

function producedByPart(part: Part): Produced {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return { text: part.text, toolCalls: 0 };
    case 'tool-call':
      return { text: part.name + part.input, toolCalls: 1 };
    case 'image':
      return { text: '', toolCalls: 0, pictures: 1 };
    case 'audio':
      return {
        text: part.transcript ?? '',
        toolCalls: 0,
        seconds: part.source.kind === 'data' ? secondsIn(part.source.data) : 0,
      };
    default:
      return NOTHING_PRODUCED;
  }
}

function addProduced(sum: Required<Produced>, more: Produced): void {
  sum.text += more.text;
  sum.toolCalls += more.toolCalls;
  sum.seconds += more.seconds ?? 0;
  sum.pictures += more.pictures ?? 0;
}

function producedByDelta(delta: PartDelta): Produced {
  if ('text' in delta) return { text: delta.text, toolCalls: 0 };
  if (delta.type !== 'audio') return NOTHING_PRODUCED;
  return { text: delta.transcript ?? '', toolCalls: 0, seconds: secondsIn(delta.data ?? '') };
}

const saysAnything = ({ text, toolCalls, seconds, pictures }: Required<Produced>): boolean =>
  text !== '' || toolCalls + seconds + pictures > 0;

function producedBy(parts: readonly Part[]): Produced {
  const sum = { text: '', toolCalls: 0, seconds: 0, pictures: 0 };
  for (const part of parts) addProduced(sum, producedByPart(part));
  return sum;
}

const NOTHING: FrameStep = { out: null, content: false, last: false, error: null };

export class ConvertingStream implements StreamPassage {
  readonly #reported = new ReportedUsage();
  #closed = false;
  #complete = false;
  /** What tells the caller that the answer is whole: held back until the settlement. */
  #ending = '';

  constructor(
    readonly reader: StreamReader,
    readonly writer: StreamWriter,
    readonly endMarker: string | null,
  ) {}

  push(frame: Uint8Array): FrameStep {
    const event = parseFrame(frame);
    return event ? this.#take(this.reader.push(event)) : NOTHING;
  }

  ending(counted: Usage | null = null): Uint8Array | string | null {
    this.#close();
    const told = counted ? this.writer.write({ type: 'usage', usage: counted }) : '';
    const end = this.#complete ? this.writer.write({ type: 'end' }) : '';
    return this.#ending + told + end + (this.endMarker ?? '');
  }

  get usage(): Usage | null {
    // Of an answer that a word ended only what went out counts.
    if (this.isCut) return null;
    return this.#reported.whole(this.#complete);
  }

  get isCut(): boolean {
    return this.reader.isCut ?? false;
  }

  get promptUsage(): Usage | null {
    return this.#reported.latest;
  }

  get answerId(): string | undefined {
    return this.reader.answerId;
  }

  get complete(): boolean {
    this.#close();
    return this.#complete;
  }

  /** Every step says what it produced. */
  produced(): Produced {
    return NOTHING_PRODUCED;
  }

  /** Asks the reader once for what it makes of the end of the connection. */
  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#take(this.reader.end());
  }

  #take(events: readonly StreamEvent[]): FrameStep {
    let out = '';
    let content = false;
    const produced = { text: '', toolCalls: 0, seconds: 0, pictures: 0 };
    let error: UpstreamErrorBody | null = null;
    let usage: Usage | null = null;
    for (const event of events) {
      switch (event.type) {
        case 'start':
          if (event.usage) this.#reported.reportPrompt(event.usage);
          break;
        case 'usage':
          usage = event.usage;
          break;
        case 'part-start': {
          const begun = producedByPart(event.part);
          addProduced(produced, begun);
          content ||= begun.text !== '' || !BEGINS_EMPTY.has(event.part.type);
          break;
        }
        case 'part-delta':
          addProduced(produced, producedByDelta(event.delta));
          content = true;
          break;
        case 'stop':
          // An answer may be whole and empty.
          content = true;
          break;
        case 'end':
          this.#complete = true;
          // Counts of ours may have to be told before it.
          continue;
        case 'error':
          error = errorOf(event);
          break;
        default:
      }
      if (error) break;
      // Everything after the upstream closed ends the answer.
      const written = this.writer.write(event);
      if (this.#closed) this.#ending += written;
      else out += written;
    }
    for (const event of this.reader.takeUnshown?.() ?? []) {
      if (event.type === 'part-start') addProduced(produced, producedByPart(event.part));
      else if (event.type === 'part-delta') addProduced(produced, producedByDelta(event.delta));
    }
    content ||= saysAnything(produced);
    // What closes the last parts says nothing that was not counted.
    const isEnd = this.#complete || this.#closed;
    if (!isEnd && saysAnything(produced)) this.#reported.content();
    // The counts of a frame are those behind what it says, wherever in it they stand.
    if (usage) this.#reported.report(usage);
    return {
      out: out === '' ? null : out,
      content,
      last: this.#complete,
      error,
      produced: content ? produced : undefined,
    };
  }
}

/** Nothing of these can be seen before their first piece. */
const BEGINS_EMPTY: ReadonlySet<Part['type']> = new Set<Part['type']>(['text', 'thinking', 'refusal']);

const OPEN = '<think>\n';
const CLOSE = '\n</think>\n';

/** The reasoning of each choice as text in front of what it says. */
function thinkingAsText(reply: ChatReply): ChatReply {
  const choices = reply.choices.map((choice) => {
    const thoughts = choice.parts.filter((part) => part.type === 'thinking').map((part) => part.text);
    if (thoughts.join('') === '') return choice;
    const shown: Part = { type: 'text', text: OPEN + thoughts.join('') + CLOSE };
    return { ...choice, parts: [shown, ...choice.parts.filter((part) => part.type !== 'thinking')] };
  });
  return { ...reply, choices };
}

/** Writes thinking parts as text parts between think marks. */
class ThinkingWriter implements StreamWriter {
  readonly #thinking = new Set<number>();

  constructor(readonly inner: StreamWriter) {}

  write(event: StreamEvent): string {
    if (event.type === 'part-start' && event.part.type === 'thinking') {
      this.#thinking.add(event.index);
      const { choice, index } = event;
      const begun = this.inner.write({ type: 'part-start', choice, index, part: { type: 'text', text: '' } });
      return begun + this.#text(choice, index, OPEN + event.part.text);
    }
    const index = 'index' in event ? event.index : -1;
    if (!this.#thinking.has(index)) return this.inner.write(event);
    if (event.type === 'part-delta') {
      return event.delta.type === 'thinking' ? this.#text(event.choice, index, event.delta.text) : '';
    }
    if (event.type !== 'part-end') return this.inner.write(event);
    this.#thinking.delete(index);
    return this.#text(event.choice, index, CLOSE) + this.inner.write(event);
  }

  #text(choice: number, index: number, text: string): string {
    return this.inner.write({ type: 'part-delta', choice, index, delta: { type: 'text', text } });
  }
}

/** Writes no field that only the upstream knows. */
class StrictWriter implements StreamWriter {
  constructor(readonly inner: StreamWriter) {}

  write(event: StreamEvent): string {
    if (event.type === 'start') return this.inner.write({ ...event, extra: undefined });
    if (event.type !== 'part-start' || !('extra' in event.part)) return this.inner.write(event);
    return this.inner.write({ ...event, part: { ...event.part, extra: undefined } });
  }
}
