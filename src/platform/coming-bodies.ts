/**
 * Bodies on their way: each holds a connection, and works for nobody yet. Nobody is refused here for want of a place: where
 * all are taken, the body that has stood still the longest gives way, and where one user or network has his share of them,
 * the one of his. So heads whose bodies do not come push out one another, and a body that comes with its head meets none of
 * them. To stand still is to come more slowly than `limits.bodyBytesASecond`: by drops nobody keeps a place.
 *
 * To see how a small body comes costs more than to read it at once, and as long as few are on their way nobody has to. Of
 * those nobody knows who stands still, so that they give way last.
 */
import { limits } from '../core/limits.ts';
import type { Room } from './body-budget.ts';
import { StandingStill, type Still } from './standing-still.ts';
import { Tally } from './tally.ts';

interface Coming extends Still {
  readonly isSeen: boolean;
  /** When it should have had to begin to have come so far: it may be ahead of its pace by `limits.bodyAheadMs`. */
  sinceMs: number;
}

export class ComingBodies {
  #open = 0;
  readonly #ofOne = new Tally<string>();
  readonly #seen = new StandingStill();
  readonly #unseen = new StandingStill();

  /** `most`: how many there may be now. */
  constructor(readonly most: () => number) {}

  get open(): number {
    return this.#open;
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
          toldByPiece: () => coming?.isSeen ?? false,
          grow: (bytes) => {
            if (coming?.isSeen) this.#came(coming, bytes);
          },
          keep: () => undefined,
          comes: (stop) => {
            coming = this.#enter(names, { giveWay: leave, stop });
            return leave;
          },
          release: leave,
        };
      },
    };
  }

  #enter(names: readonly string[], ends: Pick<Still, 'giveWay' | 'stop'>): Coming {
    const most = Math.max(1, this.most());
    const share = Math.max(1, Math.floor(most * limits.comingOfOneShare));
    for (const name of names) if (this.#ofOne.of(name) >= share) this.#makeRoom(name);
    while (this.#open >= most) this.#makeRoom();
    const isSeen = this.#open >= Math.floor(most * limits.comingUnseenPart);
    const coming = { ...ends, names, isSeen, sinceMs: performance.now() };
    this.#whereIs(coming).add(coming);
    this.#count(coming, 1);
    return coming;
  }

  #makeRoom(ofName?: string): void {
    if (!this.#seen.makeRoom(ofName)) this.#unseen.makeRoom(ofName);
  }

  #came(coming: Coming, bytes: number): void {
    const nowMs = performance.now();
    const cameMs = coming.sinceMs + (bytes * 1000) / limits.bodyBytesASecond;
    coming.sinceMs = Math.min(nowMs + limits.bodyAheadMs, cameMs);
    if (coming.sinceMs >= nowMs) this.#seen.add(coming);
  }

  #leave(coming: Coming): void {
    this.#whereIs(coming).delete(coming);
    this.#count(coming, -1);
  }

  #whereIs({ isSeen }: Coming): StandingStill {
    return isSeen ? this.#seen : this.#unseen;
  }

  #count({ names }: Coming, amount: 1 | -1): void {
    this.#open += amount;
    for (const name of names) this.#ofOne.add(name, amount);
  }
}
