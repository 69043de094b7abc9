/**
 * Bodies on their way: each holds a connection, and works for nobody yet. Nobody is refused here for want of a place: where
 * all are taken, the body that has stood still the longest gives way, and where one user or network has his share of them,
 * the one of his. So heads whose bodies do not come push out one another, and a body that comes with its head meets none of
 * them. To stand still is to come more slowly than `limits.bodyBytesASecond`: by drops nobody keeps a place.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { HeldBytes, Room } from './body-budget.ts';
import { Tally } from './tally.ts';

interface Coming {
  readonly names: readonly string[];
  readonly stop: Parameters<HeldBytes['comes']>[0];
  /** When it should have had to begin to have come so far. */
  sinceMs: number;
}

export class ComingBodies {
  /** Who has stood still the longest first, but for those who have moved since, too slowly. */
  readonly #coming = new Set<Coming>();
  readonly #ofOne = new Tally<string>();

  /** `most`: how many there may be now. */
  constructor(readonly most: () => number) {}

  get open(): number {
    return this.#coming.size;
  }

  /** A place as long as a body comes, for whoever goes by these names. */
  of(...names: readonly string[]): Room {
    return {
      hold: () => {
        let coming: Coming | null = null;
        const leave = () => {
          if (coming) this.#leave(coming);
          coming = null;
        };
        return {
          grow: (bytes) => {
            if (coming) this.#came(coming, bytes);
          },
          keep: () => undefined,
          comes: (stop) => {
            coming = this.#enter(names, stop);
            return leave;
          },
          release: leave,
        };
      },
    };
  }

  #enter(names: readonly string[], stop: Coming['stop']): Coming {
    const most = this.most();
    const share = Math.max(1, Math.floor(most * limits.comingOfOneShare));
    for (const name of names) if (this.#ofOne.of(name) >= share) this.#makeRoom(name);
    while (this.#coming.size >= Math.max(1, most)) this.#makeRoom();
    const coming = { names, stop, sinceMs: performance.now() };
    this.#coming.add(coming);
    for (const name of names) this.#ofOne.add(name, 1);
    return coming;
  }

  #makeRoom(ofName?: string): void {
    for (const coming of this.#coming) {
      if (ofName !== undefined && !coming.names.includes(ofName)) continue;
      this.#leave(coming);
      coming.stop(fail('OVERLOADED', { internal: 'the body stood still', retryAfterSec: RETRY_SEC }));
      return;
    }
  }

  #came(coming: Coming, bytes: number): void {
    if (!this.#coming.has(coming)) return;
    const nowMs = performance.now();
    coming.sinceMs = Math.min(nowMs, coming.sinceMs + (bytes * 1000) / limits.bodyBytesASecond);
    if (coming.sinceMs < nowMs) return;
    this.#coming.delete(coming);
    this.#coming.add(coming);
  }

  #leave(coming: Coming): void {
    if (!this.#coming.delete(coming)) return;
    for (const name of coming.names) this.#ofOne.add(name, -1);
  }
}

const RETRY_SEC = 2;
