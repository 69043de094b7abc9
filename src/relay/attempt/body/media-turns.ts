/** Whose turn it is to have media fetched, of all calls of the process. */
import { limits } from '../../../core/limits.ts';
import { createFairGate } from '../../../platform/fair-gate.ts';
import type { Asker } from '../../../platform/names.ts';
import { overloaded } from '../../../platform/overloaded.ts';
import { Places } from '../../../platform/places.ts';

interface Wanted {
  /** Aborts when nobody wants it any more, by what who waits for it is told. */
  over: AbortSignal;
  /** How long one waits for his turn. */
  withinMs: number;
  /** Who waits for his turn, or for what is slow, works for nobody, until what this answers is called. */
  waits(): () => void;
}

/** The connections that calls have beside their own two, which `callsWithin` counts. */
export class MediaTurns {
  readonly #gate = createFairGate({
    atOnce: limits.inlineMediaAtOnce,
    ofOneAtOnce: limits.inlineMediaOfOneAtOnce,
    waitingMax: limits.inlineMediaWaiting,
    ofOneWaitingMax: limits.inlineMediaOfOneWaiting,
  });
  /** By networks: a host that says nothing would keep the places of all for as long as it likes. */
  readonly #slow = new Places<string>(limits.inlineMediaSlowAtOnce, limits.inlineMediaSlowShare);

  /**
   * Runs `work` in its turn; its signal says when it is to end. What takes long goes on among the slow ones, where there is
   * a place. Throws OVERLOADED or RATE_LIMIT where it had no turn, and OVERLOADED where it is slow and has no place.
   */
  async run<T>(
    asker: Asker,
    { over, withinMs, waits }: Wanted,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    let goesOn = waits();
    const leave = await this.#gate.enter(asker, { until: over, withinMs }).finally(goesOn);
    const abort = new AbortController();
    const { signal } = abort;
    const end = () => abort.abort(over.reason);
    over.addEventListener('abort', end);
    if (over.aborted) end();
    let leaveSlow = () => {};
    const timer = setTimeout(() => {
      goesOn = waits();
      leave.toOthers();
      if (this.#slow.take(asker.network) === 'taken') leaveSlow = () => this.#slow.give(asker.network);
      else abort.abort(overloaded('slow media'));
    }, limits.inlineMediaSlowMs);
    try {
      return await work(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      goesOn();
      over.removeEventListener('abort', end);
      leaveSlow();
      leave();
    }
  }
}
