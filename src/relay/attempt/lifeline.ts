/**
 * What may end a call to an upstream by itself while it is asked and read: its deadlines, and the end of a stop's grace. A
 * stream that has begun is told of both instead, because it knows who is late. While nothing comes, another's need of its
 * place may end it, too.
 */
import { limits } from '../../core/limits.ts';
import { NO_TOOLS, type PaidTools } from '../../core/paid-tools.ts';
import type { CutList } from '../../platform/cut.ts';
import { readsUnseen } from '../charge/unseen.ts';
import type { RelayRequest } from '../request.ts';
import { type Asked, CallersWords } from './callers-words.ts';
import { Deadlines, type Timed, type Times } from './deadlines.ts';

/** Whose call it is, and what he has named in it. */
export type Asking = Asked & Pick<RelayRequest, 'left' | 'standsStill'>;

/** A call that has a place among others. */
export interface Waiting {
  request: Asking;
  /** It is waited for though its caller leaves. */
  outlives?: boolean;
  /** Where tools run at its upstream others take its place last, and not at all as long as its caller has few. */
  paid?: PaidTools;
}

/** A stream that looks after its own end. */
interface Handed {
  expire(): void;
  /** Absent where it ends like any other call. */
  giveWay?(): void;
  /** Something has come of it, so that what went up before was had. */
  readonly hasContent?: boolean;
  /** Nothing has gone down of it for long; absent where nothing goes down. */
  sayNothing?(): void;
  /** Absent where a stop ends it like any other call. */
  stop?(end: 'timeout'): void;
}

export class Lifeline {
  /** Cancels the call to the upstream. */
  readonly abort = new AbortController();
  readonly deadlines: Deadlines;
  #isLate = false;
  #gaveWay = false;
  readonly #waiting: Waiting | undefined;
  #words: CallersWords | undefined;
  /** What he names is looked for once. */
  #namesAddresses: boolean | undefined;
  /** Ends what its place among calls was told, or will be. */
  #goesOn: () => void = () => undefined;
  #stream: Handed | null = null;
  readonly #uncut: () => void;

  constructor({ totalMs, pauseMs }: Times, { cut }: { cut: CutList }, waiting?: Waiting) {
    this.#waiting = waiting;
    // Nobody looks at what it names unless nothing comes. What has little time stands still before that is over.
    const stillMs = waiting?.request.standsStill && Math.min(limits.upstreamStillMs, totalMs / 2);
    const quietMs = limits.streamQuietMs;
    this.deadlines = new Deadlines({ totalMs, pauseMs, stillMs, quietMs }, (what) => this.#hear(what));
    this.#uncut = cut.onCut(() => (this.#stream?.stop ? this.#stream.stop('timeout') : this.hangUp()));
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** A deadline of the call has passed. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Another needed its place while nothing came of it. */
  get gaveWay(): boolean {
    return this.#gaveWay;
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
        if (this.#waiting) this.#wait(this.#waiting);
        break;
      case 'goes-on':
        this.#goesOn();
        break;
      case 'quiet':
        this.#stream?.sayNothing?.();
        break;
      case 'late':
        this.#expire();
    }
  }

  /** Nothing has come for long. */
  #wait({ request, outlives = false, paid = NO_TOOLS }: Waiting): void {
    const { left, standsStill } = request;
    const giveWay = () => {
      this.#gaveWay = true;
      if (this.#stream?.giveWay) this.#stream.giveWay();
      else this.hangUp();
    };
    const mayAct = readsUnseen({ paid }) || paid.runsCode === true;
    const stand = () => {
      this.#goesOn = standsStill?.(giveWay, performance.now(), mayAct) ?? this.#goesOn;
    };
    // Code that its caller has had written may be what it waits for, behind its first words as well.
    if ((outlives && left.aborted) || paid.runsCode || this.#mayWaitForHosts(request)) {
      stand();
    } else if (outlives) {
      left.addEventListener('abort', stand, { once: true });
      this.#goesOn = () => left.removeEventListener('abort', stand);
    }
  }

  /** Behind its first words an upstream has what it was sent: only its tools may reach for more. */
  #mayWaitForHosts(request: Asking): boolean {
    // All that goes to a tool is its caller's, in whatever words the tool takes it.
    if (request.operation === 'tool') return true;
    this.#words ??= new CallersWords(request);
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
