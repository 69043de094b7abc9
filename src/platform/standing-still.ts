/**
 * Places of which there are few, by who stands still in them: whoever finds none has the place of whom has stood still the
 * longest. A body that does not come would keep its place until its time is over, however little it costs to have many.
 */
import type { HeldBytes } from './body-budget.ts';
import { overloaded } from './overloaded.ts';

export interface Still {
  /** Whose it is. */
  readonly names: readonly string[];
  /** Later than now as long as it may pause. */
  readonly sinceMs: number;
  /** It is another's from now on. */
  giveWay(): void;
  readonly stop: Parameters<HeldBytes['comes']>[0];
}

export class StandingStill {
  /** The longest first. */
  readonly #still = new Set<Still>();

  /** Stands still from now on. */
  add(still: Still): void {
    this.#still.delete(still);
    this.#still.add(still);
  }

  delete(still: Still): void {
    this.#still.delete(still);
  }

  /** Whether one has given way, who goes by this name if there is one. */
  makeRoom(ofName?: string): boolean {
    const first = this.#first(ofName);
    if (!first) return false;
    this.delete(first);
    first.giveWay();
    first.stop(overloaded('who stood still gave way'));
    return true;
  }

  #first(ofName: string | undefined): Still | undefined {
    const nowMs = performance.now();
    let pausing: Still | undefined;
    for (const still of this.#still) {
      if (ofName !== undefined && !still.names.includes(ofName)) continue;
      if (still.sinceMs <= nowMs) return still;
      pausing ??= still;
    }
    return pausing;
  }
}
