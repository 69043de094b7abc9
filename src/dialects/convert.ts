/**
 * The passage between a caller and an upstream of different wires: requests, answers and streams are read into the
 * neutral chat and written from it. Also the way of streams of the same dialect that must be written anew.
 */
import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Usage } from '../core/usage.ts';
import { Accumulator, eventsOf } from './accumulate.ts';
import { inCallOrder } from './call-order.ts';
import type { ChatExtension } from './chat-extension.ts';
import type { ChatCodec, ReplyContext, StreamReader, StreamWriter, UpstreamWire } from './codec.ts';
import { ConvertingStream, errorOf } from './converting-stream.ts';
import { asDeclared, DeclaredWriter, namesOfTools } from './custom-tools.ts';
import type {
  Dialect,
  ForwardSettings,
  PathFacts,
  ReplyFacts,
  RequestFacts,
  SpokenDialect,
  UpstreamErrorBody,
} from './dialect.ts';
import { droppedExtras } from './dropped-extras.ts';
import { DroppedFields } from './dropped-fields.ts';
import { refuseKeptContext } from './dropped-settings.ts';
import { type AnswerEnd, answerEnd, isDue } from './due-answers.ts';
import { type Frame, parseFrame } from './frames.ts';
import { inlineMedia } from './inline-media.ts';
import { withMarksOnParts } from './marked-messages.ts';
import type { ChatReply, ChatRequest, Choice, StreamEvent } from './neutral.ts';
import { checkToolNames, withToolsOpened } from './opened-tools.ts';
import { type Passage, type PassedReply, type StreamPassage, toldIn } from './passage.ts';
import {
  NOTHING_PRODUCED,
  producedBy,
  producedByDelta,
  producedByPart,
  saysAnything,
  saysByPart,
} from './produced.ts';
import { ReportedUsage } from './reported-usage.ts';
import { withShortNames } from './short-names.ts';
import { SoundIds } from './sound-ids.ts';
import { AS_IT_CAME, type Telling } from './telling.ts';
import { ThinkingWriter, thinkingAsText } from './thinking-text.ts';
import { answersIds, withIdsFor } from './told-ids.ts';
import { withToldNames } from './tool-names.ts';
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
  /** The longest name of an end user or a conversation that the upstream takes; absent where nobody knows of a bound. */
  nameChars?: number;
  /** Shows reasoning as text between think marks, for clients that know nothing of reasoning. */
  thinkingToContent: boolean;
  /** Both sides speak one dialect: the request goes up as it is, and only the answer is written anew. */
  forwards?: boolean;
  /** A whole answer is read for its words alone: without them it passes as it came. */
  readsOnly?: boolean;
  /** Streams say nothing but words of the dialect, also where both sides know more. */
  strict?: boolean;
  /** Words that the answer must not hold. */
  filter?: WordFilter;
}

export function convertingPassage(conversion: Conversion): Required<Omit<Passage, 'text' | 'known'>> {
  const { caller, upstream, path } = conversion;
  const dropped = new DroppedFields();
  const converted = { to: upstream.id, dropped: dropped.names, asksForOne: false };
  let read: ChatRequest | null = null;
  let names: Telling = AS_IT_CAME;
  let ids: Telling = AS_IT_CAME;

  const contextOf = (wantsUsage: boolean): ReplyContext => ({
    model: path.model ?? read?.model ?? '',
    createdSec: conversion.createdSec,
    requestId: conversion.requestId,
    request: read ?? emptyRequest(caller.dialect.id),
    wantsUsage,
    toldUnasked: conversion.forwards,
  });
  /** What comes in its own words has the names and the ids that it has. */
  const named = (request: ChatRequest, model: string): ChatRequest => {
    if (request.dialect === upstream.id) return request;
    checkToolNames(request);
    ids = answersIds(request, caller.codec.callIds, conversion.requestId);
    const ordered = inCallOrder(withMarksOnParts(withToolsOpened(request)));
    const told = withToldNames(withIdsFor(ordered, model, upstream.callIds), upstream.toolNames);
    names = told;
    const { nameChars } = conversion;
    return nameChars === undefined ? told.request : withShortNames(told.request, nameChars);
  };
  const passed = (given: ChatReply): PassedReply => {
    const filtered = conversion.filter ? filteredReply(given, conversion.filter) : given;
    const answer = asDeclared(ids.meant(names.meant(filtered)), read ?? NO_TOOLS);
    const shown = conversion.thinkingToContent ? thinkingAsText(answer) : answer;
    const told = (usage: Usage | null) =>
      JSON.stringify(caller.codec.writeReply({ ...shown, usage }, contextOf(true)));
    return { facts: factsOf(filtered), text: told(shown.usage), counted: told };
  };
  const streamFrom = (given: StreamReader, request: RequestFacts, readsOn = false): StreamPassage => {
    const { wantsUsage } = request;
    const tap = conversion.forwards ? caller.dialect.tap(request) : null;
    const reader = conversion.filter ? new FilteredReader(given, conversion.filter, { tap, readsOn }) : given;
    const context = contextOf(wantsUsage);
    const declared = new DeclaredWriter(caller.codec.streamWriter(context), context.request);
    const writer = names.writer(ids.writer(declared));
    const strict = conversion.strict ? new StrictWriter(writer) : writer;
    const shown = conversion.thinkingToContent ? new ThinkingWriter(strict) : strict;
    return new ConvertingStream(reader, shown, caller.dialect.endMarker);
  };

  return {
    upstream: conversion.spoken,
    converted,
    async inline(body, load) {
      read = caller.codec.readRequest(body, path);
      await inlineMedia(read, load);
    },
    request(body: JsonObject, set: ForwardSettings) {
      read ??= caller.codec.readRequest(body, path);
      // The answer is told by them: too many alike would be refused once it is there, and nobody would pay for it.
      namesOfTools(read);
      if (conversion.forwards) return caller.dialect.forward(body, set);
      if (read.dialect !== upstream.id) {
        refuseKeptContext(read);
        for (const name of droppedExtras(read, caller.codec)) dropped.add(name);
      }
      return upstream.writeRequest(named(read, set.model), {
        ...set,
        defaultMaxTokens: conversion.defaultMaxTokens,
        extensions: conversion.extensions,
        drop: (what) => dropped.add(what),
        asksForOne() {
          converted.asksForOne = true;
        },
      });
    },
    reply(text: string, body: unknown) {
      const error = upstream.readError(body);
      if (error || !isObject(body)) return { facts: failedFacts(error), text: '' };
      const answer = upstream.readReply(body as JsonObject);
      const { filter, readsOnly } = conversion;
      const isClean = readsOnly && filter && filteredReply(answer, filter) === answer;
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
      const counts = new EventCounts();
      const take = (events: readonly StreamEvent[]): UpstreamErrorBody | null => {
        counts.take(events);
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
        failed: (error) => ({
          // No choices would count as all of them kept back.
          facts: { ...factsOf(answer.reply), ...toldIn(counts, false), error, isFiltered: false },
          text: '',
        }),
      };
    },
  };
}

/** What a stream that is collected has told of its usage, should it not come to its end. */
class EventCounts {
  readonly complete = false;
  readonly #reported = new ReportedUsage();
  #isPromptUntold = false;

  /** Of one frame, whose counts are those behind what it says, wherever in it they stand. */
  take(events: readonly StreamEvent[]): void {
    let usage: Usage | null = null;
    for (const event of events) {
      if (event.type === 'start' && event.usage) this.#reported.reportPrompt(event.usage);
      if (event.type === 'part-start' && saysAnything(producedByPart(event.part))) this.#reported.content();
      if (event.type === 'part-delta' && saysAnything(producedByDelta(event.delta))) this.#reported.content();
      if (event.type !== 'usage') continue;
      usage = event.usage;
      this.#isPromptUntold = event.isPromptUntold === true;
    }
    if (usage) this.#reported.report(usage);
  }

  get usage(): Usage | null {
    return this.#reported.whole(this.complete);
  }

  get promptUsage(): Usage | null {
    return this.#isPromptUntold ? null : this.#reported.latest;
  }
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
  produced: () => NOTHING_PRODUCED,
  due: () => 0,
  finishReason: null,
});

function factsOf({ usage, choices }: ChatReply): ReplyFacts {
  const parts = choices.flatMap((choice) => choice.parts);
  const soundIds = new SoundIds();
  for (const part of parts) soundIds.noteIn(part);
  return {
    usage,
    error: null,
    produced: () => producedBy(parts),
    due: () => choices.filter(isDueIn).length,
    isFiltered: choices.every((choice) => endOf(choice) === 'filtered'),
    refusedFor: parts.some(saysByPart) ? undefined : choices[0]?.refusedFor,
    finishReason: choices[0]?.rawStop ?? choices[0]?.stop ?? null,
    soundIds,
  };
}

const endOf = ({ stop, stopSequence }: Choice): AnswerEnd => answerEnd(stop, stopSequence);

const isDueIn = (choice: Choice): boolean =>
  isDue({
    end: endOf(choice),
    says: () => choice.parts.some(saysByPart),
    hasOutput: () => saysAnything(producedBy(choice.parts)),
  });

/** Writes no field that only the upstream knows. */
class StrictWriter implements StreamWriter {
  constructor(readonly inner: StreamWriter) {}

  get heldBytes(): number {
    return this.inner.heldBytes;
  }

  write(event: StreamEvent): string {
    if (event.type === 'start') return this.inner.write({ ...event, extra: undefined });
    if (event.type !== 'part-start' || !('extra' in event.part)) return this.inner.write(event);
    return this.inner.write({ ...event, part: { ...event.part, extra: undefined } });
  }
}
