/**
 * What may end a call to an upstream by itself while it is asked and read: its deadlines, and the end of a stop's grace. A
 * stream that has begun is told of both instead, because it knows who is late. While nothing comes, another's need of its
 * place may end it, too.
 */
import { limits } from '../../core/limits.ts';
import type { CutList } from '../../platform/cut.ts';
import type { RelayRequest } from '../request.ts';
import { type Asked, CallersWords } from './callers-words.ts';
import { Deadlines, type Timed, type Times } from './deadlines.ts';

/** Whose call it is, and what he has named in it. */
export type Waiting = Asked & Pick<RelayRequest, 'left' | 'standsStill'>;

/** A stream that looks after its own end. */
interface Handed {
  expire(): void;
  /** Absent where it ends like any other call. */
  giveWay?(): void;
  /** Something has come of it, so that what went up before was had. */
  readonly hasContent?: boolean;
  /** Absent where a stop ends it like any other call. */
  stop?(end: 'timeout'): void;
}

export class Lifeline {
  /** Cancels the call to the upstream. */
  readonly abort = new AbortController();
  readonly deadlines: Deadlines;
  #isLate = false;
  #hasGivenWay = false;
  readonly #waiting: Waiting | undefined;
  readonly #outlives: boolean;
  #words: CallersWords | undefined;
  /** What he names is looked for once. */
  #namesAddresses: boolean | undefined;
  /** Ends what its place among calls was told, or will be. */
  #moves: (() => void) | undefined;
  #stream: Handed | null = null;
  readonly #uncut: () => void;

  /** `waiting`: whose call it is, where it has a place. `outlives`: it is waited for though he leaves. */
  constructor({ totalMs, pauseMs }: Times, { cut }: { cut: CutList }, waiting?: Waiting, outlives = false) {
    this.#waiting = waiting;
    this.#outlives = outlives;
    // Nobody looks at what it names unless nothing comes. What has little time stands still before that is over.
    const stillMs = waiting?.standsStill && Math.min(limits.upstreamStillMs, totalMs / 2);
    this.deadlines = new Deadlines({ totalMs, pauseMs, stillMs }, (what) => this.#hear(what));
    this.#uncut = cut.onCut(() => (this.#stream?.stop ? this.#stream.stop('timeout') : this.hangUp()));
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** A deadline of the call has passed. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Nothing had come of it when another needed its place. */
  get hasGivenWay(): boolean {
    return this.#hasGivenWay;
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

  #hear(what: Timed): void {
    switch (what) {
      case 'still':
        this.#wait();
        break;
      case 'goes-on':
        this.#moves?.();
        break;
      case 'late':
        this.#expire();
    }
  }

  /** Nothing has come for long. */
  #wait(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const outlives = this.#outlives;
    const { left, standsStill } = waiting;
    const giveWay = () => {
      this.#hasGivenWay = true;
      if (this.#stream?.giveWay) this.#stream.giveWay();
      else this.hangUp();
    };
    const stand = () => {
      this.#moves = standsStill?.(giveWay, performance.now());
    };
    if ((outlives && left.aborted) || this.#mayWaitForHosts(waiting)) {
      stand();
    } else if (outlives) {
      left.addEventListener('abort', stand, { once: true });
      this.#moves = () => left.removeEventListener('abort', stand);
    }
  }

  /** Behind its first words an upstream has what it was sent: only its tools may reach for more. */
  #mayWaitForHosts(waiting: Waiting): boolean {
    // All that goes to a tool is its caller's, in whatever words the tool takes it.
    if (waiting.operation === 'tool') return true;
    this.#words ??= new CallersWords(waiting);
    if (this.#stream?.hasContent && !this.#words.runTools) return false;
    this.#namesAddresses ??= this.#words.nameAddresses;
    return this.#namesAddresses;
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
