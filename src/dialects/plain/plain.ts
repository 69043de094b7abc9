/** What the dialects of the operations beside chat have in common: no messages, no system prompt, mostly no stream. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { type BodyRules, type CallersDialect, OPAQUE } from '../body-rules.ts';
import type {
  Dialect,
  FrameFacts,
  Produced,
  PromptSize,
  ReplyFacts,
  RequestFacts,
  StreamTap,
  UpstreamErrorBody,
} from '../dialect.ts';
import { objectOf } from '../fields.ts';
import { type Frame, KEEP_ALIVE } from '../frames.ts';
import { errorBody, errorFrame, readError } from '../openai-chat/errors.ts';
import { each, either, OBJECT, type Shape, TEXT } from '../other-texts.ts';
import { NOTHING_PRODUCED } from '../produced.ts';
import { DROP, PASS } from '../tap-frames.ts';
import { sizeOfTexts } from '../text-size.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'openai-plain': true;
  }
}

export const noPrompt = (): PromptSize => ({
  textBytes: 0,
  messages: 0,
  images: [],
  audioSeconds: 0,
  files: 0,
  fileBytes: 0,
});

/** A prompt of nothing but texts, and tokens that were sent as their numbers: a bound of bytes halves them. */
export function promptOf(texts: readonly string[], tokens = 0): PromptSize {
  const { textBytes, textDense } = sizeOfTexts(texts);
  return { ...noPrompt(), textBytes: textBytes + 2 * tokens, textDense };
}

/** The facts of a request that has no output tokens. */
export const plainFacts = (model: string, more: Partial<RequestFacts> = {}): RequestFacts => ({
  model,
  stream: false,
  outputCap: 0,
  choices: 1,
  prompt: noPrompt(),
  audioOut: false,
  wantsUsage: true,
  affinity: null,
  previousAnswer: null,
  ...more,
});

/** Fields of a request that say something and are not among the known ones. */
export const unread = (body: JsonObject, known: readonly string[]): string[] =>
  Object.keys(body).filter((name) => body[name] !== null && !known.includes(name));

/** Settings that many of these calls have and no model reads. */
export const PLAIN_SETTINGS: Readonly<Record<string, Shape>> = {
  ...each(['model', 'user', 'user_id', 'stream', 'response_format'], TEXT),
  ...each(['metadata', 'stream_options'], either(TEXT, OBJECT)),
};

interface PlainAnswer extends Pick<ReplyFacts, 'usage' | 'calls' | 'pictures'> {
  missing: string | null;
  /** It is there, and holds nothing. */
  isEmpty?: boolean;
}

/** Of a list that was asked for what is to be known of its answer. */
export const listed = (list: unknown, name: string): Pick<PlainAnswer, 'missing' | 'isEmpty'> => ({
  missing: Array.isArray(list) ? null : name,
  isEmpty: Array.isArray(list) && list.length === 0,
});

/** The facts of a whole answer: an error where it holds one, or where what was asked for is `missing`. */
export function plainReply(
  body: unknown,
  read: (answer: JsonObject) => PlainAnswer,
  errorIn: (answer: JsonObject) => UpstreamErrorBody | null = readError,
): ReplyFacts {
  const answer = objectOf(body) ?? {};
  const { usage, missing, isEmpty = false, calls, pictures } = read(answer);
  return {
    usage,
    error: errorIn(answer) ?? (missing === null ? null : { message: `its answer holds no ${missing}` }),
    produced: () => NOTHING_PRODUCED,
    due: () => (missing === null && !isEmpty ? 1 : 0),
    finishReason: null,
    ...(calls !== undefined && { calls }),
    ...(pictures !== undefined && { pictures }),
  };
}

/** What every plain dialect says for itself; the rest is as OpenAI has it. */
export type PlainOwn = Pick<Dialect, 'readRequest' | 'promptTexts' | 'reads' | 'readReply'> &
  Partial<CallersDialect>;

/** Most of these calls say nothing of how much may be written. */
export const plainRules = (caps: readonly string[], opaque: readonly string[] = []): BodyRules => ({
  caps,
  opaque: [...OPAQUE, 'metadata', ...opaque],
});
const NO_CAPS = plainRules([]);

export const plainDialect = (own: PlainOwn): CallersDialect => ({
  id: 'openai-plain',
  rules: NO_CAPS,
  addSystem: (body) => body,
  forward: (body, { model }) => ({ ...body, model }),
  tap: () => new EventTap(NO_EVENTS),
  endMarker: null,
  keepAlive: KEEP_ALIVE,
  streamContentType: 'text/event-stream',
  errorBody,
  errorFrame,
  ...own,
});

/** Streams of events that name their `type`, the last of which carries the usage. */
export interface TypedEvents {
  /** Whether a caller sees something of it. */
  content(type: string, event: JsonObject): boolean;
  last(type: string, event: JsonObject): boolean;
  usage(event: JsonObject): Usage | null;
  /** What an event says, for a local count; absent where it is no text. */
  text?(event: JsonObject): string;
  /** Whether an event holds a picture that is done; absent where the call is for none. */
  picture?(type: string, event: JsonObject): boolean;
  /** Whether the error of an event is that of a piece, behind which others may come. */
  lost?(type: string): boolean;
  /** Whether what ends behind such an event may be whole by the marker alone. */
  endsMarked?(type: string, event: JsonObject): boolean;
}

const NO_EVENTS: TypedEvents = { content: () => true, last: () => false, usage: () => null };
const DONE = '[DONE]';

export class EventTap implements StreamTap {
  usage: Usage | null = null;
  complete = false;
  pictures: number | undefined;
  readonly finishReason = null;
  #lost: UpstreamErrorBody | null = null;
  #endsMarked = false;

  constructor(readonly events: TypedEvents) {}

  get promptUsage(): Usage | null {
    return this.usage;
  }

  wants(): boolean {
    return true;
  }

  read({ event: name, data }: Frame): FrameFacts {
    if (data.trim() === DONE) {
      this.complete ||= this.#endsMarked;
      return { ...DROP, last: true };
    }
    const event = parseObject(data);
    if (!event) return DROP;
    const type = typeof event.type === 'string' ? event.type : name;
    const error = readError(event);
    if (error) {
      if (!this.events.lost?.(type)) return { ...DROP, error };
      this.#lost ??= error;
      return PASS;
    }
    this.#endsMarked ||= this.events.endsMarked?.(type, event) ?? false;
    this.usage = this.events.usage(event) ?? this.usage;
    const isPicture = this.events.picture?.(type, event) ?? false;
    if (isPicture) this.pictures = (this.pictures ?? 0) + 1;
    if (this.events.last(type, event)) {
      // Of all its pieces none is left.
      if (this.#lost && this.pictures === undefined) return { ...DROP, error: this.#lost };
      this.complete = true;
      // Of pictures none may have come; of all else it holds what was asked for.
      const endsOnly = this.events.picture !== undefined && this.pictures === undefined;
      // An end that is a picture itself is the first of as many as were asked for: it counts none.
      if (isPicture) this.pictures = undefined;
      return { ...PASS, content: true, last: true, endsOnly };
    }
    return { ...PASS, content: this.events.content(type, event) };
  }

  produced({ data }: Frame): Produced {
    if (!this.events.text) return NOTHING_PRODUCED;
    const event = parseObject(data);
    return event ? { text: this.events.text(event), toolCalls: 0 } : NOTHING_PRODUCED;
  }
}
