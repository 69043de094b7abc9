/**
 * Places of which there are few, by who stands still in them: whoever finds none has the place of whom has stood still the
 * longest. An answer that nobody takes would keep its place until its time is over, however little it costs to have many.
 */
import { fail } from '../core/errors.ts';
import type { HeldBytes, Room } from './body-budget.ts';

interface Place {
  /** Whose it is, and of which places it is one. */
  names(): readonly string[];
  /** It is another's from now on. */
  giveWay(): void;
}

interface Still {
  readonly place: Place;
  readonly stop: Parameters<HeldBytes['comes']>[0];
}

export class StandingStill {
  /** The longest first. */
  readonly #still = new Set<Still>();

  /** One place, as a room of no bytes that gives way like those of bytes. */
  roomOf(place: Place): Room {
    return {
      hold: () => {
        let still: Still | null = null;
        const goesOn = () => {
          if (still) this.#still.delete(still);
          still = null;
        };
        return {
          grow: () => undefined,
          keep: () => undefined,
          comes: (stop) => {
            goesOn();
            still = { place, stop };
            this.#still.add(still);
            return goesOn;
          },
          release: goesOn,
        };
      },
    };
  }

  /** Whether one has given way, who goes by this name if there is one. */
  makeRoom(ofName?: string): boolean {
    for (const still of this.#still) {
      const { place, stop } = still;
      if (ofName !== undefined && !place.names().includes(ofName)) continue;
      this.#still.delete(still);
      place.giveWay();
      stop(fail('OVERLOADED', { internal: 'its reader stood still', retryAfterSec: RETRY_SEC }));
      return true;
    }
    return false;
  }
}

const RETRY_SEC = 2;
