/**
 * How the request and the answer of one call get from the caller's dialect into the upstream's and back. Between equal
 * dialects nothing is rewritten: the passage only watches. Whoever relays a call knows no more of dialects than this.
 */
import type { JsonObject } from '../core/json.ts';
import { allTokens, promptTokens, type Usage } from '../core/usage.ts';
import type {
  AnswerItems,
  Dialect,
  ForwardSettings,
  GoingOn,
  Produced,
  ReplyFacts,
  RequestFacts,
  SpokenDialect,
  UpstreamErrorBody,
} from './dialect.ts';
import { isComment, parseFrame } from './frames.ts';
import type { LoadMedia } from './inline-media.ts';
import { NOTHING_PRODUCED } from './produced.ts';
import { PASS } from './tap-frames.ts';

/** What one frame of the upstream means for the caller. */
export interface FrameStep {
  /** Bytes for the caller; null when the frame is not for him, or is held back until the settlement. */
  out: Uint8Array | string | null;
  /** Carries something that the caller sees: after the first of these nothing is retried. */
  content: boolean;
  /** The answer ends here. */
  last: boolean;
  /** It may end here: the upstream need only close. */
  mayBeLast?: boolean;
  error: UpstreamErrorBody | null;
  /** What the frame produced, where it had to be read anyway; else `StreamPassage.produced` tells when it is asked. */
  produced?: Produced;
  /** Its content is that the answer has ended, which may be empty. */
  endsOnly?: boolean;
}

/** A whole answer's facts, and its text for the caller. */
export interface PassedReply {
  facts: ReplyFacts;
  text: string;
  /** The same with usage that was counted here, for callers whose dialect tells it. */
  counted?(usage: Usage): string;
}

export interface StreamPassage {
  push(frame: Uint8Array): FrameStep;
  /**
   * What ends a whole answer; sent after the settlement, asked for once. Null where the dialect needs no end. `counted`
   * is usage that was counted here, for callers whose answer is written anyway.
   */
  ending(counted?: Usage | null): Uint8Array | string | null;
  /** Usage of all that came; null while that was not told. */
  readonly usage: Usage | null;
  /** The latest counts, as far as they go; null while they leave the prompt out. */
  readonly promptUsage: Usage | null;
  /** True when the answer said that it is complete. */
  readonly complete: boolean;
  /** It was ended here, whatever its upstream still says. */
  readonly isCut?: boolean;
  /** It was refused, or kept back, as of a whole answer. */
  readonly isFiltered?: boolean;
  /** As of a tap. */
  readonly refusedFor?: string | null;
  /** How many of its answers are due, as of a tap. */
  readonly due?: number;
  /** The id of an answer that the upstream keeps. */
  readonly answerId?: string;
  /** The same of sounds in it. */
  readonly soundIds?: ReadonlySet<string>;
  /** The id of the container of Anthropic's in which its code ran. */
  readonly containerId?: string | undefined;
  /** With which it goes on in a later request. */
  readonly continuations?: GoingOn | undefined;
  /** What it is made of. */
  readonly items?: AnswerItems | undefined;
  /** What a frame of the upstream produced, for a local count. */
  produced(frame: Uint8Array): Produced;
  /** Bytes of what is no text: sounds, pictures. */
  readonly mediaBytes?: number;
  /** Pictures that have come, where the call was for pictures. */
  readonly pictures?: number;
  /** Bytes of a summary of the conversation that it showed before the answer, as a part of what was produced. */
  readonly summaryBytes?: number;
  /** Bytes of what it keeps of the answer: what waits for the settlement, and what is told only later. */
  readonly heldBytes: number;
}

/**
 * What a stream has told so far. Counts of nothing are none unless it was read to its end: some begin with zeros, and tell
 * what they have read behind all else, which may be behind the reason why they end. That a prompt had no tokens only a usage
 * of all that came may say. What of one wire is a placeholder its own reader knows (`StreamCounts`, `ReportedUsage`).
 */
export function toldIn(
  { usage, promptUsage, complete }: Pick<StreamPassage, 'usage' | 'promptUsage' | 'complete'>,
  isRead: boolean,
): { usage: Usage | null; promptUsage: Usage | null } {
  if (complete && isRead && usage) return { usage, promptUsage };
  const saysPrompt = promptUsage !== null && promptTokens(promptUsage) > 0;
  const saysAnything = usage !== null && allTokens(usage) > 0;
  return { usage: saysAnything ? usage : null, promptUsage: saysPrompt ? promptUsage : null };
}

/** A stream's passage around another: what it does not say itself is the inner one's. */
export abstract class AroundStream implements StreamPassage {
  constructor(readonly inner: StreamPassage) {}

  abstract push(frame: Uint8Array): FrameStep;
  abstract ending(counted?: Usage | null): Uint8Array | string | null;

  get usage(): Usage | null {
    return this.inner.usage;
  }

  get promptUsage(): Usage | null {
    return this.inner.promptUsage;
  }

  get complete(): boolean {
    return this.inner.complete;
  }

  get isCut(): boolean {
    return this.inner.isCut ?? false;
  }

  get isFiltered(): boolean {
    return this.inner.isFiltered ?? false;
  }

  get refusedFor(): string | null | undefined {
    return this.inner.refusedFor;
  }

  get due(): number {
    return this.inner.due ?? 0;
  }

  get continuations(): GoingOn | undefined {
    return this.inner.continuations;
  }

  get pictures(): number | undefined {
    return this.inner.pictures;
  }

  get heldBytes(): number {
    return this.inner.heldBytes;
  }

  produced(frame: Uint8Array): Produced {
    return this.inner.produced(frame);
  }
}

/** What became of a call that was said in other words. */
export interface Converted {
  /** What the upstream speaks. */
  readonly to: string;
  /** Names of the settings and parts that were left out of the request. */
  readonly dropped: ReadonlySet<string>;
  /** Of several answers that were wanted one was asked for. Names of what was left out may be a caller's own, and tell nothing. */
  readonly asksForOne?: boolean;
}

/** Takes the frames of a stream whose caller wants a whole answer. */
export interface Collector {
  /** The error that ends the stream; null while there is none. */
  push(frame: Uint8Array): UpstreamErrorBody | null;
  /** The answer, once the stream has ended; null when it is not complete. */
  end(): PassedReply | null;
  /** What had come before such an error. */
  failed(error: UpstreamErrorBody): PassedReply;
}

export interface Passage {
  /** The dialect that the upstream is spoken to in. */
  readonly upstream: SpokenDialect;
  /** Set where nothing is passed as it came. */
  readonly converted?: Converted;
  request(body: JsonObject, set: ForwardSettings): JsonObject;
  reply(text: string, body: unknown): PassedReply;
  /** As much of an answer's JSON as `reply` must know; absent for all of it. */
  known?(text: string): string;
  /** An answer that is no JSON, as the caller may read it; absent where it passes as it is. */
  text?(text: string): string;
  /** `readsOn`: where the answer is ended on the way, its upstream is read to its end before it ends for the caller. */
  stream(request: RequestFacts, readsOn?: boolean): StreamPassage;
  /** For an upstream that answers with JSON where a stream was asked for; null where that is none. */
  streamOfJson(request: RequestFacts, readsOn?: boolean): StreamPassage | null;
  /** Puts the bytes of what the request names by address into it; to be called before `request`, with the same body. */
  inline?(body: JsonObject, load: LoadMedia): Promise<void>;
  /** Collects the whole answer that a stream adds up to. */
  collect?(): Collector;
}

const samePassages = new Map<Dialect, Passage>();

/** The passage between a caller and an upstream of one dialect; one for all their calls. */
export function samePassage(dialect: Dialect): Passage {
  let passage = samePassages.get(dialect);
  if (!passage) {
    passage = {
      upstream: dialect,
      request: (body, set) => dialect.forward(body, set),
      reply: (text, body) => ({ facts: dialect.readReply(body), text }),
      stream: (request) => new SameStream(dialect, request),
      streamOfJson: (request) => (dialect.streamsJson ? new SameStream(dialect, request) : null),
    };
    samePassages.set(dialect, passage);
  }
  return passage;
}

/** Of a frame that means nothing to the caller. */
export const NO_STEP: FrameStep = { out: null, content: false, last: false, error: null };

class SameStream implements StreamPassage {
  readonly #tap;
  readonly #endMarker: string | null;
  #held: Uint8Array | null = null;
  /** With which the caller's last piece ends. */
  #passed: Uint8Array | null = null;
  #hasContent = false;

  constructor(dialect: Dialect, request: RequestFacts) {
    this.#tap = dialect.tap(request);
    this.#endMarker = dialect.endMarker;
  }

  push(frame: Uint8Array): FrameStep {
    const step = this.#step(frame);
    if (step.out !== null) this.#passed = frame;
    return step;
  }

  #step(frame: Uint8Array): FrameStep {
    if (this.#hasContent && !this.#tap.wants(frame)) {
      // Comments of the upstream may name it, and keep nobody waiting.
      return isComment(frame) ? NO_STEP : { out: frame, content: true, last: false, error: null };
    }
    const event = parseFrame(frame);
    if (!event) return NO_STEP;
    const { drop, ...facts } = event.data === '' ? PASS : this.#tap.read(event);
    const { content, last, mayBeLast, endsOnly = false } = facts;
    // Behind an end that is empty others may follow.
    if (content && !endsOnly) this.#hasContent = true;
    const out = drop ? null : this.#hold(frame, content, last || mayBeLast === true);
    return { ...facts, out };
  }

  /** Keeps what may be the end of the answer; more content shows that it was not. */
  #hold(frame: Uint8Array, content: boolean, isEnd: boolean): Uint8Array | null {
    const held = this.#held;
    if (!held && !isEnd) return frame;
    if (!held || !content) {
      this.#held = held ? Buffer.concat([held, frame]) : frame;
      return null;
    }
    this.#held = isEnd ? frame : null;
    return isEnd ? held : Buffer.concat([held, frame]);
  }

  ending(): Uint8Array | string | null {
    if (this.#held) return closed(this.#held);
    if (this.#endMarker === null || this.#passed === null) return this.#endMarker;
    return BLANK_LINE.slice(0, closed(this.#passed).length - this.#passed.length) + this.#endMarker;
  }

  get usage(): Usage | null {
    return this.#tap.usage;
  }

  get promptUsage(): Usage | null {
    return this.#tap.promptUsage;
  }

  get pictures(): number | undefined {
    return this.#tap.pictures;
  }

  get summaryBytes(): number | undefined {
    return this.#tap.summaryBytes;
  }

  get heldBytes(): number {
    return this.#held?.length ?? 0;
  }

  get complete(): boolean {
    return this.#tap.complete;
  }

  get isFiltered(): boolean {
    return this.#tap.isFiltered ?? false;
  }

  get refusedFor(): string | null | undefined {
    return this.#tap.refusedFor;
  }

  get due(): number {
    return this.#tap.due ?? 0;
  }

  get answerId(): string | undefined {
    return this.#tap.answerId;
  }

  get soundIds(): ReadonlySet<string> | undefined {
    return this.#tap.soundIds;
  }

  get containerId(): string | undefined {
    return this.#tap.containerId;
  }

  get continuations(): GoingOn | undefined {
    return this.#tap.continuations;
  }

  get items(): AnswerItems | undefined {
    return this.#tap.items;
  }

  produced(frame: Uint8Array): Produced {
    const event = parseFrame(frame);
    return event ? this.#tap.produced(event) : NOTHING_PRODUCED;
  }
}

const BLANK_LINE = '\n\n';
const CR = 13;
const LF = 10;

/** The last frame with its blank line, which may be missing, or cut in half, where the upstream's bytes end. */
function closed(frame: Uint8Array): Uint8Array {
  const [third, second, last] = [frame.at(-3), frame.at(-2), frame.at(-1)];
  if (last === LF && (second === LF || (second === CR && third === LF))) return frame;
  if (last === CR && second === LF) return Buffer.concat([frame, Buffer.from('\n')]);
  return last === CR && second === CR ? frame : Buffer.concat([frame, Buffer.from(BLANK_LINE)]);
}
