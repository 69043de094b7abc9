/**
 * Places of which there are few, by who stands still in them: whoever finds none has the place of whom has stood still the
 * longest. A body that does not come would keep its place until its time is over, however little it costs to have many.
 */
import type { HeldBytes } from './body-budget.ts';
import { overloaded } from './overloaded.ts';

export interface Still {
  /** Whose it is. */
  readonly names: readonly string[];
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
    for (const still of this.#still) {
      if (ofName !== undefined && !still.names.includes(ofName)) continue;
      this.delete(still);
      still.giveWay();
      still.stop(overloaded('who stood still gave way'));
      return true;
    }
    return false;
  }
}
