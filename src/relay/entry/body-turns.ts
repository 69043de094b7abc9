/**
 * Whose turn it is to have a body read. A body is looked through in one go, up to where its call is paid for, and one of names,
 * short values, messages or tools takes up to a hundred times as long as its bytes let expect: many at once have each other
 * call wait for all of them at each of its steps (decision 052).
 */
import { limits } from '../../core/limits.ts';
import { type Asker, LoopTurns, type LoopTurnsBounds } from '../../platform/loop-turns.ts';

type Bounds = Record<'short' | 'long', LoopTurnsBounds>;

export class BodyTurns {
  readonly #short: LoopTurns;
  readonly #long: LoopTurns;

  constructor({ short = limits.shortBodies, long = limits.longBodies }: Partial<Bounds> = {}) {
    this.#short = new LoopTurns(short);
    this.#long = new LoopTurns(long);
  }

  /** Waits until it is his turn; throws as `LoopTurns.take` does. */
  take(chars: number, asker: Asker, left: AbortSignal): Promise<void> {
    return (chars > limits.shortBodyChars ? this.#long : this.#short).take(asker, left);
  }
}
