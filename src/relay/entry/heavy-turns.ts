/**
 * Whose turn it is to have a heavy body read. A body is looked through in one go, up to where its call is paid for, and one of
 * names, short values, messages or tools takes up to a hundred times as long as its bytes let expect: many at once have each
 * other call wait for all of them at each of its steps.
 */
import { limits } from '../../core/limits.ts';
import { createFairGate, type FairGate, type FairGateBounds, type Turn } from '../../platform/fair-gate.ts';

export class HeavyTurns {
  readonly #gate: FairGate;

  constructor({
    waitingMax = limits.heavyWaiting,
    ofOneWaitingMax = limits.heavyOfOneWaiting,
  }: Partial<FairGateBounds> = {}) {
    this.#gate = createFairGate({ atOnce: 1, ofOneAtOnce: 1, waitingMax, ofOneWaitingMax });
  }

  /**
   * Waits for it. It ends by itself: what follows goes on without a turn of the event loop until its call waits for
   * somebody, and then the others have the loop for as long as that took. Throws RATE_LIMIT where too much of his waits,
   * OVERLOADED where too much of others' or too long, or when he has left.
   */
  async take(turn: Turn, left: AbortSignal): Promise<void> {
    const leave = await this.#gate.enter(turn, { until: left, withinMs: limits.heavyWaitMs });
    const began = performance.now();
    setImmediate(() => setTimeout(leave, performance.now() - began));
  }
}
