/** Reading a dialect into the neutral model and writing it from there, for requests, answers and streams. */
import type { JsonObject } from '../core/json.ts';
import type { ChatExtension } from './chat-extension.ts';
import type {
  AnswerItems,
  DialectId,
  ForwardSettings,
  PathFacts,
  SpokenDialect,
  UpstreamErrorBody,
} from './dialect.ts';
import type { Frame } from './frames.ts';
import type { ChatReply, ChatRequest, Reasoning, StreamEvent } from './neutral.ts';

/** What the writer of a request is told about its upstream. */
export interface RequestTarget extends ForwardSettings {
  /** Output cap to send where the dialect demands one and the caller gave none. */
  defaultMaxTokens: number;
  /** Words beyond OpenAI's own that this upstream takes on OpenAI's chat wire; absent: none, as at OpenAI itself. */
  extensions?: ReadonlySet<ChatExtension>;
  /** Called with the name of each field or part kind that this dialect cannot say and that was left out. */
  drop(what: string): void;
  /** Called where several answers are wanted and this dialect has no word for that: one is asked for. */
  asksForOne?(): void;
}

/** What the writer of an answer knows besides the answer. */
export interface ReplyContext {
  /** The model as the caller named it. */
  model: string;
  /** Unix seconds when the call began, for dialects that need a time and upstreams that give none. */
  createdSec: number;
  /** Our request id, for dialects whose answers need an id that the upstream did not give. */
  requestId: string;
  /** The caller's own request, for dialects whose answers repeat parts of it. */
  request: ChatRequest;
  /** Whether the caller asked for usage in the stream. */
  wantsUsage: boolean;
  /** Its upstream speaks the caller's dialect and may tell it unasked, so that clients made for that look for it. */
  toldUnasked?: boolean | undefined;
}

export interface StreamReader {
  /** The events that a frame means; none for pings and comments. */
  push(frame: Frame): StreamEvent[];
  /** The upstream closed: what was still open, and `end` only when the answer was complete. */
  end(): StreamEvent[];
  /** The answer was ended on the way, and its upstream not read to its end: what that tells is not this one's. */
  readonly isCut?: boolean;
  /** What came since it was asked last and is shown to nobody; it was produced all the same. */
  takeUnshown?(): StreamEvent[];
  /** The id of an answer that the upstream keeps, and its items, where the reader looks for them. */
  readonly answerId?: string;
  readonly items?: AnswerItems | undefined;
}

export interface StreamWriter {
  /** Bytes of what it keeps of the answer: what is not whole yet, and what its end repeats. */
  readonly heldBytes: number;
  /** The frames that an event means, as bytes to be: empty while the dialect has nothing to say yet. */
  write(event: StreamEvent): string;
}

/** Which names of functions a wire takes. */
export interface ToolNames {
  /** In characters. */
  most: number;
  /** What a whole one is made of. */
  letters: RegExp;
}

/** Which ids of calls a wire takes that takes no two alike in one talk. */
export interface CallIdForm {
  /** In characters, where those that go up have a bound. */
  most?: number;
  /** Only letters, digits, `-` and `_`. */
  isPlain?: true;
}

/** What of a request may hold schemas: its tools, and the form of its answer. */
export type Schemas = Pick<ChatRequest, 'tools' | 'responseFormat'>;

/**
 * The upstream's half of a codec. Content that the upstream cannot take (audio for a dialect without audio) is refused
 * with `invalid_request`, which names it, before any charge; settings that it has no word for are left out and reported
 * as dropped.
 */
export interface UpstreamCodec {
  writeRequest(request: ChatRequest, target: RequestTarget): JsonObject;
  /** Others are told otherwise, see `tool-names.ts`; absent where nobody knows of a bound. */
  readonly toolNames?: ToolNames;
  /** Other ones are told otherwise, see `told-ids.ts`; absent where any go. */
  readonly callIds?: CallIdForm;
  /** It has no word for references within schemas: `writeRequest` puts in what they name, and refuses too much of it. */
  putsReferencesIn?: true;
  readReply(body: JsonObject): ChatReply;
  streamReader(): StreamReader;
}

/** Fields of a caller's request, beside those of the neutral one, that do not count as dropped on another wire. */
export interface ReadFields {
  /** The neutral request says them in its own words, or they say nothing of the answer. */
  understood?: readonly string[];
  /** Of a field that stands whole beside what others understand of it, what is understood. */
  within?: Readonly<Record<string, readonly string[]>>;
}

/** Both halves, of a dialect that callers speak. */
export interface ChatCodec extends UpstreamCodec, ReadFields {
  readRequest(body: JsonObject, path: PathFacts): ChatRequest;
  /** So much of the same as is known without what is said. Where it is missing, the whole is read. */
  readSchemas?(body: JsonObject): Schemas;
  readReasoning(body: JsonObject): Reasoning | undefined;
  writeReply(reply: ChatReply, context: ReplyContext): JsonObject;
  streamWriter(context: ReplyContext): StreamWriter;
}

/** The upstream's side of a conversion: that of a dialect, or a wire of one vendor's own. */
export interface UpstreamWire extends UpstreamCodec {
  readonly id: string;
  /** Its streams are JSON values; elsewhere one JSON value is a whole answer. */
  readonly streamsJson?: boolean;
  /** The error that an answer of a good status carries instead of an answer. */
  readError(body: unknown): UpstreamErrorBody | null;
}

/** A dialect as upstreams are spoken to in it: all there is of one that no caller speaks. */
export interface UpstreamDialect extends SpokenDialect, UpstreamWire {
  readonly id: DialectId;
}
