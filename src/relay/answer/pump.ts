/**
 * Carries one stream from an upstream to a caller. It alone reads the upstream. Until the first content its frames are
 * held, so that a stream that fails before may be tried elsewhere; from then on they go out as they come, and the last
 * one waits for the settlement. When the caller leaves, it reads on for a while to learn what the call has cost. What is
 * larger than usual frames has its place in the room of answers, and goes out piece by piece.
 */
import { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import type { Usage } from '../../core/usage.ts';
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';
import type { Splitter } from '../../dialects/framing.ts';
import { type StreamPassage, toldIn } from '../../dialects/passage.ts';
import type { ToolCounter } from '../../dialects/tool-uses.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { writePart } from '../../platform/large-answer.ts';
import { overloaded } from '../../platform/overloaded.ts';
import { ReaderPace, type StandsStill } from '../../platform/reader-pace.ts';
import type { StreamEnd } from '../charge/call.ts';
import type { Drain } from './drain.ts';
import type { StreamMeter } from './meter.ts';
import type { NoRoom } from './room-meter.ts';
import type { StreamRoom } from './stream-room.ts';

/** Why a stream ended before its first content; another channel may be asked. */
export type OpeningFailure =
  | { kind: 'error'; error: UpstreamErrorBody }
  | { kind: 'timeout' }
  | { kind: 'left' }
  | { kind: 'no-room'; refused: NoRoom }
  | { kind: 'broken'; reason: string; cause?: unknown };

/** What a stream came to, once nothing more will be read. */
export interface Ending {
  end: StreamEnd;
  usage: Usage | null;
  /** Null where the prompt was not told. */
  promptUsage: Usage | null;
  /** Milliseconds from the start of the call to the first content; null when there was none. */
  firstContentMs: number | null;
  /** The upstream's words, where it ended with an error. */
  error: UpstreamErrorBody | null;
  /** The upstream ended it, and had neither said that it is whole nor anything for a caller to see. */
  isEmpty: boolean;
  /** It was not read to its end: what it came to is not known. */
  isCutShort: boolean;
  /** Why there was no room for it; null where there was. */
  refused: NoRoom | null;
}

/** Where the bytes go: Bun's direct streams write without a queue of their own, and answer a promise when the caller reads slowly. */
export interface Sink {
  write(bytes: Uint8Array | string): number | Promise<number>;
  flush(): unknown;
}

/** Ends a stream that is late. */
export interface StreamDeadlines {
  /** A sign of life. */
  touch(): void;
  /** From now on at most `ms` between two signs of life. */
  allowPauses(ms: number): void;
  /** Content has come. */
  came(): void;
  /** Something has gone down. */
  told(): void;
  stop(): void;
}

export interface PumpOptions {
  body: ReadableStream<Uint8Array>;
  /** Cuts the body into frames. */
  splitter: Splitter;
  passage: StreamPassage;
  meter: StreamMeter;
  room: StreamRoom;
  /** Its place among calls is told, whatever room it holds, and is another's then. */
  standsStill?: StandsStill | undefined;
  /** Sees every frame of a stream that may tell uses of the upstream's tools. */
  tools?: ToolCounter;
  deadlines: StreamDeadlines;
  /** Cancels the call to the upstream. */
  abort: AbortController;
  /** Aborts when the caller leaves. */
  left: AbortSignal;
  /** Tools run at its upstream that may have told somebody all of it before anything is shown. */
  mayHaveTold?: boolean;
  /** Goes down where the answer is quiet for long; absent where nothing may stand between its frames. */
  keepAlive?: string | undefined;
  /** Reading on for a caller who has left; it may have begun. */
  drain: Drain;
  idleMs: number;
  /** A stream whose content does not come is begun after this long. */
  holdMs?: number;
  /** So long an answer that seems whole waits for more. */
  lingerMs?: number;
  startedAt: number;
}

/** After the end marker the upstream only has to close; a connection that does can be used again. */
const RUN_OUT_MS = 1_000;
/** Where there is no end marker, upstreams close at once. */
const LINGER_MS = 10_000;

export class Pump {
  /** Called when output has grown, or uses of tools may have. */
  onProgress: (() => void) | null = null;
  /** Called at the first content, of a stream that was begun before it. */
  onFirstContent: (() => void) | null = null;
  /** Resolves when nothing more will be read. Never rejects. */
  readonly ended: Promise<Ending>;

  readonly #options: PumpOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #opened = Promise.withResolvers<OpeningFailure | null>();
  readonly #attached = Promise.withResolvers<void>();
  /** Resolves when a write must not be waited for any more. */
  readonly #released = Promise.withResolvers<void>();
  readonly #holdTimer: ReturnType<typeof setTimeout>;
  #held: (Uint8Array | string)[] = [];
  #heldBytes = 0;
  #hasBegun = false;
  #sink: Sink | null = null;
  /** Bytes whose caller's side is not there yet, or a write that he has not taken. */
  #unwritten: Uint8Array | string | Promise<number> | null = null;
  #isWriting = false;
  /** Of the piece that came last, of which all frames are kept until they are written. */
  #pieceBytes = 0;
  #isDraining = false;
  /** It was stopped here, at its end or before. */
  #isStopped = false;
  #end: StreamEnd | null = null;
  #error: UpstreamErrorBody | null = null;
  #firstContentMs: number | null = null;
  #sawUsage = false;
  /** Nothing can follow what has come. */
  #sawLast = false;
  #refused: NoRoom | null = null;
  #given: Promise<void> | null = null;
  readonly #broken = Promise.withResolvers<void>();
  #isBroken = false;
  /** Of its reader, once he was waited for. */
  #pace: ReaderPace | null = null;
  /** Bytes of small writes that sockets took at once, since he was waited for. */
  #tookBytes = 0;
  #waitingBytes = 0;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#reader = options.body.getReader();
    this.#holdTimer = setTimeout(() => this.#begin(), options.holdMs ?? limits.holdHeadersMs);
    if (options.left.aborted) this.leave();
    else options.left.addEventListener('abort', this.leave);
    this.ended = this.#run();
  }

  /** Null when the answer may begin: there was content, or the wait for it is long. Else why there will be none. */
  get opened(): Promise<OpeningFailure | null> {
    return this.#opened.promise;
  }

  get hasContent(): boolean {
    return this.#firstContentMs !== null;
  }

  /** The caller's side, while he is there. */
  get sink(): Sink | null {
    return this.#sink;
  }

  /** Gives the caller's side, which gets what was held and everything from now on. */
  attach(sink: Sink): void {
    const held = this.#held;
    this.#held = [];
    if (!this.#hasLeft && this.#heldBytes > limits.answerAtOnceChars) {
      this.#given = this.#give(held, sink);
      return;
    }
    this.#heldBytes = 0;
    if (!this.#hasLeft) {
      this.#sink = sink;
      for (const bytes of held) writeNow(sink, bytes);
      sink.flush();
    }
    this.#attached.resolve();
  }

  /** Everything else waits until this is written. */
  async #give(held: readonly (Uint8Array | string)[], sink: Sink): Promise<void> {
    let isTaken = true;
    for (const bytes of held) isTaken &&= await this.#writeLarge(bytes, sink);
    this.#heldBytes = 0;
    if (isTaken && !this.#hasLeft) this.#sink = sink;
    this.#attached.resolve();
  }

  /** Resolves when what was held is written, where it is more than can be at once. */
  get given(): Promise<void> | null {
    return this.#given;
  }

  /** Its caller has got a part of a frame, behind which nothing can be read, or his place is another's. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Resolves when that is so, and its connection is to end at once. */
  get broken(): Promise<void> {
    return this.#broken.promise;
  }

  /** Of its reader, for what is written behind it. */
  get pace(): ReaderPace {
    this.#pace ??= new ReaderPace(this.#options.standsStill);
    return this.#pace;
  }

  /** What others leave no room for is not his to pay. */
  get #isOthers(): boolean {
    return this.#refused?.why === 'others';
  }

  get #hasLeft(): boolean {
    return this.#isDraining || this.#end === 'client_gone';
  }

  /** The caller has gone: nothing is written any more, and the upstream is read for a while yet. */
  readonly leave = (): void => {
    this.#released.resolve();
    // Also of a stream that has come to its end, whose last frame may wait for him.
    this.#attached.resolve();
    if (this.#isDraining || this.#end !== null) return;
    this.#sink = null;
    const giveUp = () => this.stop('client_gone');
    if (this.#options.drain.begin(giveUp)) this.#isDraining = true;
    else giveUp();
  };

  /**
   * Its place is another's: nothing of it may go on that takes a socket. Its upstream is not read on, and what it came to is
   * charged as that of who has left whose stream is not.
   */
  readonly #giveWay = (): void => {
    this.#breakOff();
    if (this.#end === null) this.stop('client_gone');
    this.#released.resolve();
  };

  /**
   * Nothing comes of it, and its place is another's. It is no doing of its caller's, who is told so and pays nothing where
   * he has had nothing: what was shown, or said to his tools, is charged as of a stream that is not read on. While its reader
   * is waited for it is he who stands still, whoever of both is told first. One that has said all and only does not close has
   * ended well.
   */
  giveWay(): void {
    if (this.#end !== null) return;
    if (this.#isWriting) {
      this.#giveWay();
      return;
    }
    if (this.#options.passage.complete) {
      this.stop('done');
      return;
    }
    if (!this.#isDraining) {
      const isDue = this.hasContent || this.#options.mayHaveTold === true;
      this.#refused = { why: isDue ? 'gave-way' : 'others', error: overloaded('nothing came of its stream') };
    }
    this.stop(this.#isDraining ? 'client_gone' : 'no_room');
  }

  #breakOff(): void {
    this.#isBroken = true;
    this.#sink = null;
    this.#broken.resolve();
  }

  /** It is quiet: its caller, and whatever stands before him, are to see that it is there. It is no answer, and no reading. */
  sayNothing(): void {
    const { keepAlive } = this.#options;
    const sink = this.#end === null && !this.#isWriting && !this.#unwritten ? this.#sink : null;
    if (!sink || keepAlive === undefined) return;
    try {
      writeNow(sink, keepAlive);
      sink.flush();
    } catch {
      // A timer calls: whatever it threw would end the process.
      this.leave();
    }
  }

  /** Ends the stream now and cancels the upstream. */
  stop(end: StreamEnd): void {
    this.#end ??= end;
    this.#isStopped ||= !this.#isOthers;
    this.#released.resolve();
    this.#attached.resolve();
    this.#options.abort.abort();
  }

  /**
   * A deadline has passed: the upstream is late or, while a write waits, the caller is. One that has said all and only
   * does not close is not late.
   */
  expire(): void {
    if (this.#isWriting) this.leave();
    else this.stop(this.#options.passage.complete ? 'done' : 'timeout');
  }

  async #run(): Promise<Ending> {
    const { passage, deadlines, left, drain, abort, room } = this.#options;
    let broken: Extract<OpeningFailure, { kind: 'broken' }> = {
      kind: 'broken',
      reason: 'its stream broke off',
    };
    let isWhole = false;
    try {
      isWhole = await this.#read();
    } catch (error) {
      this.#refused ??= room.refusedBy(error);
      broken = {
        ...broken,
        cause: error,
        ...(error instanceof AppError ? { reason: error.text('en') } : {}),
      };
    }
    if (this.#refused) {
      this.#isStopped ||= !this.#isOthers;
      if (this.#end === null || this.#end === 'done') this.#end = 'no_room';
      // It may take its caller minutes to read what was held, for which the upstream is not kept.
      abort.abort();
    }
    await this.#given;
    clearTimeout(this.#holdTimer);
    deadlines.stop();
    left.removeEventListener('abort', this.leave);
    drain.end();
    const isEmpty = this.#end === null && !passage.complete && this.#firstContentMs === null;
    const isCutShort = this.#isStopped && (this.#end !== 'done' || passage.isCut === true);
    if (this.#isDraining) this.#end = 'client_gone';
    this.#end ??= passage.complete ? 'done' : 'upstream_cut';
    // An answer may be whole and empty: a refusal, or nothing but thoughts up to the limit.
    if (!this.#hasBegun && this.#end === 'done' && passage.complete) this.#begin();
    if (!this.#hasBegun) {
      room.release();
      this.#opened.resolve(this.#openingFailure(broken));
    }
    if (this.#end === 'done') void this.#runOut(isWhole);
    else abort.abort();
    return {
      end: this.#end,
      ...toldIn(passage, isWhole || this.#sawLast),
      firstContentMs: this.#firstContentMs,
      error: this.#error,
      isEmpty,
      isCutShort,
      refused: this.#refused,
    };
  }

  /** Reads until the answer ends; true when the upstream has closed. */
  async #read(): Promise<boolean> {
    const { deadlines, splitter, drain } = this.#options;
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) break;
      if (this.#firstContentMs !== null) deadlines.touch();
      if (this.#isDraining && !drain.take(value.length)) {
        this.#isStopped = true;
        this.#end ??= 'client_gone';
        return false;
      }
      this.#pieceBytes = value.length;
      for (const frame of splitter.push(value)) {
        const isLast = this.#take(frame);
        if (this.#unwritten) await this.#written();
        if (isLast || this.#end !== null) return false;
      }
      this.#hold();
      this.#sink?.flush();
    }
    for (const frame of splitter.end()) {
      const isLast = this.#take(frame);
      if (this.#unwritten) await this.#written();
      if (isLast) break;
    }
    return true;
  }

  /** When the frame at hand came; nobody knows once its reader was waited for, behind whom it may have lain. */
  get #cameSec(): number | undefined {
    return this.#pace ? undefined : nowSec();
  }

  /** Takes room for all that is held, with what waits for its reader. Throws where there is none. */
  #hold(waitingBytes = 0): void {
    const { splitter, passage, room } = this.#options;
    room.holds(splitter.heldBytes + this.#heldBytes + passage.heldBytes + waitingBytes);
  }

  /** Passes a frame on; true when the answer ends with it. What could not be written at once is left in `unwritten`. */
  #take(frame: Uint8Array): boolean {
    const { passage, meter, deadlines, tools } = this.#options;
    const hasTools = tools?.look(frame, this.#cameSec) ?? false;
    const step = passage.push(frame);
    if (step.error) {
      this.#error = step.error;
      tools?.endDrawing();
      this.#end ??= 'upstream_cut';
      return true;
    }
    if (step.content) {
      if (step.produced) meter.addProduced(step.produced);
      else meter.add(frame, passage);
      meter.hasCome ||= !step.endsOnly;
      deadlines.came();
      if (this.#firstContentMs === null) this.#atFirstContent();
    }
    if (step.content || hasTools) this.onProgress?.();
    if (!this.#sawUsage && passage.usage) {
      this.#sawUsage = true;
      failpoint('at_usage');
    }
    if (step.out) this.#write(step.out);
    if (step.mayBeLast) deadlines.allowPauses(this.#options.lingerMs ?? LINGER_MS);
    if (step.last) {
      this.#sawLast = true;
      this.#end ??= 'done';
    }
    return this.#end !== null;
  }

  #atFirstContent(): void {
    const { deadlines, startedAt, idleMs } = this.#options;
    this.#firstContentMs = performance.now() - startedAt;
    failpoint('first_content');
    deadlines.allowPauses(idleMs);
    this.onFirstContent?.();
    this.#begin();
  }

  /** From now on the answer is this stream's, whatever becomes of it. */
  #begin(): void {
    this.#hasBegun = true;
    this.#options.deadlines.told();
    clearTimeout(this.#holdTimer);
    this.#opened.resolve(null);
  }

  #write(bytes: Uint8Array | string): void {
    if (!this.#hasBegun) {
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
      if (this.#heldBytes > limits.streamHeadBytes) this.#begin();
      return;
    }
    if (!this.#sink || bytes.length > limits.answerAtOnceChars) {
      if (!this.#isDraining) this.#unwritten = bytes;
      return;
    }
    this.#options.deadlines.told();
    this.#unwritten = writeNow(this.#sink, bytes);
    if (this.#unwritten === null) this.#tookBytes += bytes.length;
    else this.#waitingBytes = bytes.length;
  }

  /** Waits for a caller who reads slowly, or whose side is not there yet. */
  async #written(): Promise<void> {
    let waiting = this.#unwritten;
    this.#unwritten = null;
    if (typeof waiting === 'string' || waiting instanceof Uint8Array) {
      await this.#attached.promise;
      if (!this.#sink) return;
      if (waiting.length > limits.answerAtOnceChars) {
        this.#hold(Math.max(waiting.length, this.#pieceBytes));
        await this.#writeLarge(waiting, this.#sink);
        return;
      }
      this.#waitingBytes = waiting.length;
      waiting = writeNow(this.#sink, waiting);
    }
    if (!waiting) return;
    this.#hold(this.#pieceBytes);
    this.#isWriting = true;
    // Nothing is read meanwhile, so that it is not its upstream that stands still.
    this.#options.deadlines.came();
    const goesOn = this.#options.room.waits(this.leave);
    const { pace } = this;
    pace.took(this.#tookBytes);
    const waited = pace.waits(this.#giveWay);
    await Promise.race([waiting, this.#released.promise]);
    waited();
    goesOn();
    this.#tookBytes = this.#waitingBytes;
    this.#isWriting = false;
  }

  /** Piece by piece, as its caller takes them: each is a sign that he is there. False where he does not take it. */
  async #writeLarge(bytes: Uint8Array | string, sink: Sink): Promise<boolean> {
    const { deadlines, room } = this.#options;
    const pieces: Sink = {
      write(piece) {
        deadlines.touch();
        deadlines.came();
        return sink.write(piece);
      },
      flush: () => sink.flush(),
    };
    this.#isWriting = true;
    const ends = { over: this.#released.promise, end: this.leave, giveWay: this.#giveWay };
    const terms = { ...ends, held: room, pace: this.pace };
    const isTaken = await writePart(pieces, bytes, terms).catch(() => false);
    this.#isWriting = false;
    if (isTaken) return true;
    this.#breakOff();
    this.leave();
    return false;
  }

  #openingFailure(broken: OpeningFailure): OpeningFailure {
    if (this.#error) return { kind: 'error', error: this.#error };
    if (this.#end === 'timeout') return { kind: 'timeout' };
    if (this.#end === 'client_gone') return { kind: 'left' };
    if (this.#refused) return { kind: 'no-room', refused: this.#refused };
    return broken;
  }

  async #runOut(isClosed: boolean): Promise<void> {
    if (isClosed) return;
    const timer = setTimeout(() => this.#options.abort.abort(), RUN_OUT_MS);
    try {
      while (!(await this.#reader.read()).done);
    } catch {
      // It did not close in time, or broke: the connection is not used again.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What is to be waited for, null where the socket has taken it. A stream that ends before does not wait, and must not fail. */
function writeNow(sink: Sink, bytes: Uint8Array | string): Promise<number> | null {
  const written = sink.write(bytes);
  if (typeof written !== 'object') return null;
  void written.catch(() => undefined);
  return written;
}
