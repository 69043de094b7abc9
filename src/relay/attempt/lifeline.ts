/**
 * What may end a call to an upstream by itself while it is asked and read: its deadlines, and the end of a stop's grace. A
 * stream that has begun is told of both instead, because it knows who is late.
 */
import type { CutList } from '../../platform/cut.ts';
import { Deadlines } from './deadlines.ts';

interface Times {
  totalMs: number;
  /** Between two signs of life; absent where none comes by itself. */
  pauseMs?: number;
}

/** A stream that looks after its own end. */
interface Handed {
  expire(): void;
  /** Absent where a stop ends it like any other call. */
  stop?(end: 'timeout'): void;
}

export class Lifeline {
  /** Cancels the call to the upstream. */
  readonly abort = new AbortController();
  readonly deadlines: Deadlines;
  #isLate = false;
  #stream: Handed | null = null;
  readonly #uncut: () => void;

  constructor({ totalMs, pauseMs = Number.POSITIVE_INFINITY }: Times, { cut }: { cut: CutList }) {
    this.deadlines = new Deadlines(totalMs, pauseMs, () => this.#expire());
    this.#uncut = cut.onCut(() => (this.#stream?.stop ? this.#stream.stop('timeout') : this.hangUp()));
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** A deadline of the call has passed. */
  get isLate(): boolean {
    return this.#isLate;
  }

  hangUp(): void {
    this.abort.abort();
  }

  /** From now on the stream is told of deadlines and of a stop. */
  handTo(stream: Handed): void {
    this.#stream = stream;
  }

  /** A stop is no matter of this line any more: it is over, or whoever reads on hears of it himself. */
  letGo(): void {
    this.#uncut();
  }

  /** Must be called when nothing more is read. */
  close(): void {
    this.letGo();
    this.deadlines.stop();
  }

  #expire(): void {
    this.#isLate = true;
    if (this.#stream) this.#stream.expire();
    else this.hangUp();
  }
}

/** Runs a call that is nobody's in particular, on a line of its own: it ends after so long. */
export async function inTime<T>(
  totalMs: number,
  deps: { cut: CutList },
  call: (line: Lifeline) => Promise<T>,
): Promise<T> {
  const line = new Lifeline({ totalMs }, deps);
  try {
    return await call(line);
  } finally {
    line.close();
  }
}
