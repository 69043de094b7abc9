/** Whether the reader of an answer stands still: as long as he does, its place is others' who find none. */
import { limits } from '../core/limits.ts';

/**
 * Told that a reader stands still, and since when; `end` is called once his place is another's. What it answers is called
 * when he has taken a piece.
 */
export type StandsStill = (end: () => void, sinceMs: number) => () => void;

export interface PaceTerms {
  /** Who takes less than `slowBytes` in so long stands still; no piece that is written should be much larger. */
  slowMs: number;
  slowBytes: number;
  /** However much he has taken at once, he stands still when he takes nothing for so long. */
  burstMs: number;
}

/**
 * Who takes less than `slowBytes` in `slowMs` stands still, however steadily he reads: a byte a second would keep a place for
 * as long as one likes. Only the time counts for which he was waited for, and only what he has taken since then: before, it
 * was sockets that filled up.
 */
export class ReaderPace {
  readonly #terms: PaceTerms;
  /** Until he stands still, where he takes nothing more; below 0 for one who has taken too little for so long. */
  #leftMs: number;
  #isWaitedFor = false;

  constructor(
    readonly standsStill: StandsStill | undefined,
    {
      slowMs = limits.readerSlowMs,
      slowBytes = limits.readerSlowBytes,
      burstMs = limits.readerBurstMs,
    }: Partial<PaceTerms> = {},
  ) {
    this.#terms = { slowMs, slowBytes, burstMs };
    this.#leftMs = slowMs;
  }

  /** A piece waits for him, for which others may `end` his answer once he stands still. What it answers ends the wait. */
  waits(end: () => void): () => void {
    const from = performance.now();
    let goesOn = (): void => undefined;
    const tell = () => {
      goesOn = this.standsStill?.(end, from + this.#leftMs) ?? goesOn;
    };
    const slow = setTimeout(tell, Math.max(this.#leftMs, 0));
    return () => {
      clearTimeout(slow);
      goesOn();
      this.#isWaitedFor = true;
      // A long pause is not held against who reads on behind it for longer than a pause that is long enough.
      this.#leftMs = Math.max(this.#leftMs - (performance.now() - from), -this.#terms.slowMs);
    };
  }

  took(bytes: number): void {
    const { slowMs, slowBytes, burstMs } = this.#terms;
    if (this.#isWaitedFor) this.#leftMs = Math.min(this.#leftMs + (bytes / slowBytes) * slowMs, burstMs);
  }
}
