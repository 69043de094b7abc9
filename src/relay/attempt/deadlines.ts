/**
 * The deadlines of one stream: in total, and between two signs of life. A sign of life only notes the time; one timer
 * looks whether it came in time, so that a chunk costs no timer.
 */
export class Deadlines {
  readonly #totalAt: number;
  #since = performance.now();
  #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #expired: (() => void) | null;

  constructor(totalMs: number, pauseMs: number, expired: () => void) {
    this.#totalAt = this.#since + totalMs;
    this.#pauseMs = pauseMs;
    this.#expired = expired;
    this.#arm();
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

  stop(): void {
    this.#expired = null;
    clearTimeout(this.#timer);
  }

  get #dueAt(): number {
    return Math.min(this.#totalAt, this.#since + this.#pauseMs);
  }

  /** Makes sure that the timer is not later than what is due; earlier does no harm. */
  #arm(): void {
    if (!this.#expired || this.#timerAt <= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = this.#dueAt;
    this.#timer = setTimeout(() => this.#look(), Math.max(this.#dueAt - performance.now(), 0));
  }

  #look(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (performance.now() < this.#dueAt) {
      this.#arm();
      return;
    }
    const expired = this.#expired;
    this.stop();
    expired?.();
  }
}
