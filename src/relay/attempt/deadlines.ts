/** What is allowed of a call. */
export interface Times {
  totalMs: number;
  /** Between two signs of life; absent where none comes by itself. */
  pauseMs?: number | undefined;
  /** Where nothing comes for so long it stands still; absent where nobody wants to know. */
  stillMs?: number | undefined;
  /** Where nothing goes down for so long, once something has, it is quiet; absent as above. */
  quietMs?: number;
}

/** What is told of it: it stands still, goes on again, is quiet, or is over. */
export type Timed = 'still' | 'goes-on' | 'quiet' | 'late';

/**
 * The deadlines of one call: in total, and between two signs of life. A sign of life only notes the time; one timer
 * looks whether it came in time, so that a chunk costs no timer.
 */
export class Deadlines {
  readonly #totalAt: number;
  #since = performance.now();
  #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  readonly #stillMs: number;
  #stillAt: number;
  #isStill = false;
  readonly #quietMs: number;
  /** Nothing goes down of what has not begun. */
  #toldAt = Number.POSITIVE_INFINITY;
  #tell: ((what: Timed) => void) | null;

  constructor(
    {
      totalMs,
      pauseMs = Number.POSITIVE_INFINITY,
      stillMs = Number.POSITIVE_INFINITY,
      quietMs = Number.POSITIVE_INFINITY,
    }: Times,
    tell: (what: Timed) => void,
  ) {
    this.#totalAt = this.#since + totalMs;
    this.#pauseMs = pauseMs;
    this.#stillMs = stillMs;
    this.#stillAt = this.#since + stillMs;
    this.#quietMs = quietMs;
    this.#tell = tell;
    this.#arm();
  }

  /** What it waited for has begun to come, and waits for nothing more. */
  begun(): void {
    this.#stillAt = Number.POSITIVE_INFINITY;
    this.#goOn();
  }

  /** Some of what it waits for has come: it stands still when nothing more has for as long again. */
  came(): void {
    this.#stillAt = performance.now() + this.#stillMs;
    if (this.#isStill) this.#arm();
    this.#goOn();
  }

  #goOn(): void {
    if (this.#isStill) this.#tell?.('goes-on');
    this.#isStill = false;
  }

  /** From now on at most `ms` between two signs of life. */
  allowPauses(ms: number): void {
    this.#pauseMs = ms;
    this.touch();
    this.#arm();
  }

  touch(): void {
    this.#since = performance.now();
  }

  /** It has begun for its caller, or something has gone down to him. */
  told(): void {
    const isFirst = this.#toldAt === Number.POSITIVE_INFINITY;
    this.#toldAt = performance.now();
    if (isFirst) this.#arm();
  }

  stop(): void {
    this.begun();
    this.#tell = null;
    clearTimeout(this.#timer);
  }

  get #dueAt(): number {
    return Math.min(this.#totalAt, this.#since + this.#pauseMs);
  }

  /** Makes sure that the timer is not later than what is due; earlier does no harm. */
  #arm(): void {
    const nextAt = Math.min(this.#dueAt, this.#stillAt, this.#toldAt + this.#quietMs);
    if (!this.#tell || this.#timerAt <= nextAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = nextAt;
    this.#timer = setTimeout(() => this.#look(), Math.max(nextAt - performance.now(), 0));
  }

  #look(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    const tell = this.#tell;
    if (nowMs >= this.#dueAt) {
      this.stop();
      tell?.('late');
      return;
    }
    if (nowMs >= this.#stillAt) {
      this.#stillAt = Number.POSITIVE_INFINITY;
      this.#isStill = true;
      tell?.('still');
    }
    if (nowMs >= this.#toldAt + this.#quietMs) {
      this.#toldAt = nowMs;
      tell?.('quiet');
    }
    this.#arm();
  }
}
