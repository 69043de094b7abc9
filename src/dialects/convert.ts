/**
 * The passage between a caller and an upstream of different wires: requests, answers and streams are read into the
 * neutral chat and written from it. Also the way of an operator who wants streams of the same dialect written anew.
 */
import { isObject, type JsonObject } from '../core/json.ts';
import type { Usage } from '../core/usage.ts';
import type { ChatCodec, ChatExtension, ReplyContext, StreamReader, StreamWriter } from './codec.ts';
import type {
  Dialect,
  ForwardSettings,
  PathFacts,
  Produced,
  ReplyFacts,
  UpstreamErrorBody,
} from './dialect.ts';
import { parseFrame } from './frames.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent } from './neutral.ts';
import type { FrameStep, Passage, StreamPassage } from './passage.ts';

/** The upstream's side of a conversion; a vendor's own wire has no dialect. */
export interface UpstreamWire extends Pick<ChatCodec, 'writeRequest' | 'readReply' | 'streamReader'> {
  /** The error that an answer of a good status carries instead of an answer. */
  readError(body: unknown): UpstreamErrorBody | null;
}

export interface Conversion {
  caller: { dialect: Dialect; codec: ChatCodec };
  upstream: UpstreamWire;
  /** The dialect that the upstream is spoken to in; the caller's own where the wire has none. */
  spoken: Dialect;
  /** What the caller's path said. */
  path: PathFacts;
  requestId: string;
  /** Unix seconds when the call began. */
  createdSec: number;
  extensions?: ReadonlySet<ChatExtension>;
  defaultMaxTokens: number;
  /** Shows reasoning as text between think marks, for clients that know nothing of reasoning. */
  thinkingToContent: boolean;
}

/** A passage that also says what the upstream's wire had no word for. */
export interface ConvertingPassage extends Passage {
  /** Names of the settings and parts that were left out of the request. */
  readonly lost: ReadonlySet<string>;
}

export function convertingPassage(conversion: Conversion): ConvertingPassage {
  const { caller, upstream, path } = conversion;
  const lost = new Set<string>();
  let read: ChatRequest | null = null;

  const contextOf = (wantsUsage: boolean): ReplyContext => ({
    model: path.model ?? read?.model ?? '',
    createdSec: conversion.createdSec,
    requestId: conversion.requestId,
    request: read ?? emptyRequest(caller.dialect.id),
    wantsUsage,
  });

  return {
    upstream: conversion.spoken,
    lost,
    request(body: JsonObject, set: ForwardSettings) {
      read = caller.codec.readRequest(body, path);
      return upstream.writeRequest(read, {
        ...set,
        defaultMaxTokens: conversion.defaultMaxTokens,
        extensions: conversion.extensions,
        lost: (what) => lost.add(what),
      });
    },
    reply(_text: string, body: unknown) {
      const error = upstream.readError(body);
      if (error || !isObject(body)) return { facts: failedFacts(error), text: '' };
      const answer = upstream.readReply(body as JsonObject);
      const shown = conversion.thinkingToContent ? thinkingAsText(answer) : answer;
      return {
        facts: factsOf(answer),
        text: JSON.stringify(caller.codec.writeReply(shown, contextOf(true))),
      };
    },
    stream(request) {
      const writer = caller.codec.streamWriter(contextOf(request.wantsUsage));
      return new ConvertingStream(
        upstream,
        conversion.thinkingToContent ? new ThinkingWriter(writer) : writer,
        caller.dialect.endMarker,
      );
    },
  };
}

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

function producedBy(parts: readonly Part[]): Produced {
  let text = '';
  let toolCalls = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'thinking' || part.type === 'refusal') text += part.text;
    else if (part.type === 'tool-call') {
      text += part.name + part.input;
      toolCalls++;
    }
  }
  return { text, toolCalls };
}

const encoder = new TextEncoder();
const NOTHING: FrameStep = { out: null, content: false, last: false, error: null };

class ConvertingStream implements StreamPassage {
  readonly #reader: StreamReader;
  /** Reads the kept frames once more when they must be counted. */
  #counter: StreamReader | null = null;
  #usage: Usage | null = null;
  #closed = false;
  #complete = false;
  /** What tells the caller that the answer is whole: held back until the settlement. */
  #ending = '';

  constructor(
    readonly wire: UpstreamWire,
    readonly writer: StreamWriter,
    readonly endMarker: string | null,
  ) {
    this.#reader = wire.streamReader();
  }

  push(frame: Uint8Array): FrameStep {
    const event = parseFrame(frame);
    return event ? this.#take(this.#reader.push(event)) : NOTHING;
  }

  ending(): Uint8Array | string | null {
    this.#close();
    return encoder.encode(this.#ending + (this.endMarker ?? ''));
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get complete(): boolean {
    this.#close();
    return this.#complete;
  }

  produced(frame: Uint8Array): Produced {
    this.#counter ??= this.wire.streamReader();
    const event = parseFrame(frame);
    return event ? producedIn(this.#counter.push(event)) : { text: '', toolCalls: 0 };
  }

  /** Asks the reader once for what it makes of the end of the connection. */
  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#take(this.#reader.end());
  }

  #take(events: readonly StreamEvent[]): FrameStep {
    let out = '';
    let content = false;
    let error: UpstreamErrorBody | null = null;
    for (const event of events) {
      if (event.type === 'error') {
        error = { message: event.message, code: event.code, type: event.kind };
        break;
      }
      if (event.type === 'start' && event.usage) this.#usage = event.usage;
      if (event.type === 'usage') this.#usage = event.usage;
      if (event.type === 'part-start' || event.type === 'part-delta') content = true;
      if (event.type === 'end') this.#complete = true;
      // What follows the stop reason, and everything after the upstream closed, ends the answer.
      const written = this.writer.write(event);
      if (event.type === 'end' || this.#closed) this.#ending += written;
      else out += written;
    }
    return { out: out === '' ? null : encoder.encode(out), content, last: this.#complete, error };
  }
}

function producedIn(events: readonly StreamEvent[]): Produced {
  let text = '';
  let toolCalls = 0;
  for (const event of events) {
    if (event.type === 'part-start') {
      const begun = producedBy([event.part]);
      text += begun.text;
      toolCalls += begun.toolCalls;
    } else if (event.type === 'part-delta' && 'text' in event.delta) {
      text += event.delta.text;
    }
  }
  return { text, toolCalls };
}

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
