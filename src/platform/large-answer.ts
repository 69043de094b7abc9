/**
 * A large answer on its way to its caller, piece by piece as he reads: a body that is given to the server at once is
 * kept by it as a whole until the last byte is taken, which who does not read never lets happen. Who takes a large one at a
 * trickle is no better: it has a pace, by its size.
 */
import { limits } from '../core/limits.ts';
import type { HeldBytes } from './body-budget.ts';
import type { CutList } from './cut.ts';
import { ReaderPace, type StandsStill } from './reader-pace.ts';
import { closing, streamAnswer } from './streamed.ts';

export interface Writing {
  /** What the answer takes is held until then. Never rejects. */
  written: Promise<void>;
  /** Must be called once where the answer is not shown after all. */
  abandon(): void;
  /** The response; called once. Whoever calls must not hold on to the answer. */
  answerOf(answer: LargeAnswer, init?: ResponseInit): Response;
}

/** A whole; or its parts, of which each has the pace of a whole, and the next is asked for when one was taken. */
export type LargeAnswer = string | Uint8Array | Parts;
type Parts = AsyncIterable<string | Uint8Array>;

/** What may end it before its end. */
export interface WritingEnds {
  /** Aborts when the caller leaves. */
  left: AbortSignal;
  cut: CutList;
  /** Its room, of which half is given back with each half that is written, and all to others while its caller stands still. */
  held?: Pick<HeldBytes, 'keep' | 'comes'>;
  /** Of its place, which gives way as well. */
  standsStill?: StandsStill | undefined;
  /** So long a piece waits for a caller who does not read. */
  idleMs?: number;
  /** And so long the whole, of which each part has its part, for one who reads a little now and then. */
  wholeMs?: number;
  /** Who takes nothing for so long gives his room to others. */
  slowMs?: number;
  /** It may be as short as others are, so that its connection need not end with it. */
  mayBeShort?: boolean;
}

/** Settles when the caller has left, the process is cut off or the time is over, or by `resolve`. */
export function endOfWriting({ left, cut, wholeMs = limits.writeWholeMs }: WritingEnds) {
  const { promise: written, resolve } = Promise.withResolvers<void>();
  const uncut = cut.onCut(resolve);
  const timer = setTimeout(resolve, wholeMs);
  left.addEventListener('abort', () => resolve());
  if (left.aborted) resolve();
  void written.then(() => {
    clearTimeout(timer);
    uncut();
  });
  return { written, resolve };
}

export function writeLarge({
  left,
  cut,
  held,
  standsStill,
  idleMs = limits.writeIdleMs,
  wholeMs = limits.writeWholeMs,
  slowMs = limits.writeSlowMs,
  mayBeShort = false,
}: WritingEnds): Writing {
  const { written, resolve } = endOfWriting({ left, cut, wholeMs });
  return {
    written,
    abandon: resolve,
    answerOf(answer, init = {}) {
      let whole: Rest | Parts | null = isWhole(answer) ? new Rest(answer) : answer;
      const writeAll = async (
        rest: typeof whole,
        write: (part: Rest) => Promise<boolean>,
      ): Promise<boolean> => {
        if (rest === null) return false;
        return rest instanceof Rest ? write(rest) : writeParts(rest, write, written);
      };
      const source = {
        written,
        async write(sink: Sink) {
          const rest = whole;
          whole = null;
          const pace = new ReaderPace(standsStill);
          const ends = { end: resolve, giveWay: resolve };
          const terms = { over: written, ...ends, held, pace, idleMs, wholeMs, slowMs };
          const write = (part: Rest) => new Writer(sink, terms).write(part);
          const fault = await writeAll(rest, write).then(
            (isRead) => (isRead ? null : new Error('the caller does not read')),
            // What is made as it goes out may yet fail.
            () => new Error('the answer broke off'),
          );
          resolve();
          return fault;
        },
        cancel: () => resolve(),
      };
      const given = streamAnswer(source, init);
      return mayBeShort ? given : closing(given);
    },
  };
}

/**
 * Writes one part to a sink that others are written to as well; whoever calls keeps the whole of it until then. False where
 * it ended before.
 */
export const writePart = (
  sink: Sink,
  part: string | Uint8Array,
  given: Pick<WriterTerms, 'over' | 'end' | 'giveWay' | 'pace'> & { held: Pick<HeldBytes, 'comes'> },
): Promise<boolean> => {
  const { writeIdleMs: idleMs, writeWholeMs: wholeMs, writeSlowMs: slowMs } = limits;
  return new Writer(sink, { ...given, idleMs, wholeMs, slowMs }).write(new Rest(part));
};

const isWhole = (answer: LargeAnswer): answer is string | Uint8Array =>
  typeof answer === 'string' || answer instanceof Uint8Array;

/** False when it ended before; what makes the parts is told then. */
async function writeParts(
  parts: Parts,
  write: (part: Rest) => Promise<boolean>,
  over: Promise<void>,
): Promise<boolean> {
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for await (const part of parts) if (isOver || !(await write(new Rest(part)))) return false;
  return true;
}

/** What of an answer is not written yet. A part of a text or of bytes holds on to the whole, so that halves are copied. */
class Rest {
  #kept: string | Uint8Array;
  #at = 0;
  /** Which part of the answer is kept. */
  #part = 1;

  constructor(answer: string | Uint8Array) {
    this.#kept = answer;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#kept.length;
  }

  /** Which part of the answer was taken, from 0 to 1. */
  get taken(): number {
    return 1 - (this.#part * (this.#kept.length - this.#at)) / Math.max(this.#kept.length, 1);
  }

  /** The next piece. */
  take(): string | Uint8Array {
    const from = this.#at;
    this.#at = this.#endOfPiece();
    const kept = this.#kept;
    return typeof kept === 'string' ? kept.slice(from, this.#at) : kept.subarray(from, this.#at);
  }

  /** Bytes that are still kept, once half of what was kept is taken; null before. */
  shrink(): number | null {
    const { length } = this.#kept;
    if (2 * this.#at < length || length <= 2 * limits.writePieceBytes) return null;
    this.#part *= (length - this.#at) / length;
    const kept = this.#kept;
    this.#kept = typeof kept === 'string' ? Buffer.from(kept.slice(this.#at)) : kept.slice(this.#at);
    this.#at = 0;
    return this.#kept.length;
  }

  /** The second half of a surrogate pair belongs to what is before it. */
  #endOfPiece(): number {
    const kept = this.#kept;
    if (typeof kept !== 'string') return this.#at + limits.writePieceBytes;
    const end = this.#at + limits.writePieceChars;
    return (kept.charCodeAt(end) & 0xfc00) === 0xdc00 ? end + 1 : end;
  }
}

export interface Sink {
  write(piece: string | Uint8Array): number | Promise<number>;
  flush(): unknown;
}

/** How long a piece is waited for with which `part` of the answer will have been taken, so many milliseconds after its begin. */
export const pieceMs = (
  part: number,
  passedMs: number,
  { idleMs, wholeMs }: Required<Pick<WritingEnds, 'idleMs' | 'wholeMs'>>,
): number => Math.min(idleMs, Math.max(idleMs + part * wholeMs - passedMs, 0));

interface WriterTerms extends Required<Pick<WritingEnds, 'idleMs' | 'wholeMs' | 'slowMs'>> {
  over: Promise<void>;
  /** Its room is another's. */
  end(): void;
  /** Its place is. */
  giveWay(): void;
  /** Of all parts that one reader takes. */
  pace: ReaderPace;
  /** Without `keep` somebody else holds on to the whole until it is written. */
  held: (Pick<HeldBytes, 'comes'> & Partial<Pick<HeldBytes, 'keep'>>) | undefined;
}

class Writer {
  readonly #beganAt = performance.now();
  #isOver = false;

  constructor(
    readonly sink: Sink,
    readonly terms: WriterTerms,
  ) {
    void terms.over.then(() => {
      this.#isOver = true;
    });
  }

  /** False when it ended before. */
  async write(rest: Rest): Promise<boolean> {
    const { held } = this.terms;
    const isKept = held !== undefined && held.keep === undefined;
    while (!rest.isEmpty) {
      const piece = rest.take();
      const taken = this.sink.write(piece);
      this.sink.flush();
      // A number where the socket has taken it.
      if (typeof taken === 'object' && !(await this.#isTaken(taken, rest.taken))) return false;
      if (this.#isOver) return false;
      this.terms.pace.took(Buffer.byteLength(piece));
      if (isKept) continue;
      const kept = rest.shrink();
      if (kept !== null) held?.keep?.(kept);
    }
    return true;
  }

  /** Whether a piece is taken in time. While its caller stands still, others may have its room. */
  async #isTaken(taken: Promise<unknown>, part: number): Promise<boolean> {
    const { over, end, giveWay, held, pace, idleMs, wholeMs, slowMs } = this.terms;
    const waited = pace.waits(giveWay);
    let goesOn = (): void => undefined;
    const slow = setTimeout(() => {
      goesOn = held?.comes(end) ?? goesOn;
    }, slowMs);
    const ms = pieceMs(part, performance.now() - this.#beganAt, { idleMs, wholeMs });
    const isTaken = await within(ms, taken, over);
    clearTimeout(slow);
    goesOn();
    waited();
    return isTaken;
  }
}

/** Whether the one comes before the other, and in time. */
export function within(ms: number, taken: Promise<unknown>, over: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  taken.then(
    () => resolve(true),
    () => resolve(false),
  );
  void over.then(() => resolve(false));
  void promise.then(() => clearTimeout(timer));
  return promise;
}
