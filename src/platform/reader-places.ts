/**
 * Places of answers under way, each counted for everybody who has a part in it: a user, and his network. Nobody has more than
 * a share of what the others leave, and whoever stands still leaves his: to who finds none he gives it, one for one, of a share
 * that is full one of that share itself. Where nobody stands still who could help him he is refused, and nobody gives way.
 */
import type { StandsStill } from './reader-pace.ts';

export interface ReaderPlace {
  /** May be called twice. */
  leave(): void;
  /** Once it has given way it is left. */
  standsStill: StandsStill;
}

/** The places of one user or network. */
interface Share {
  readonly name: string;
  readonly part: number;
  taken: number;
  /** Of them, whose readers stand still. */
  still: number;
}

/** One of those who wait in a place: its reader, what it has fetched, its upstream. */
interface Waiting {
  end(): void;
  readonly sinceMs: number;
}

/** A place in which somebody waits for what does not move. */
interface Still {
  readonly shares: readonly Share[];
  /** One who goes on leaves what the others wait for as it is. */
  readonly waiting: Set<Waiting>;
  giveWay(): void;
}

/** Since when one of them has waited. */
function sinceOf({ waiting }: Still): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { sinceMs } of waiting) first = Math.min(first, sinceMs);
  return first;
}

export class ReaderPlaces {
  #taken = 0;
  /** Of those who have any. */
  readonly #shares = new Map<string, Share>();
  readonly #still = new Set<Still>();

  /** `parts`: of what others leave, so that whoever comes next finds a place and who is alone has most of them. */
  constructor(
    readonly most: number,
    readonly parts: readonly number[],
  ) {}

  get taken(): number {
    return this.#taken;
  }

  /**
   * One that is free, for who goes by these names, of which none stands for two parts. Null where there is none for anybody,
   * or the share of one is full.
   */
  takeFree(...names: readonly string[]): ReaderPlace | null {
    const shares = this.#sharesOf(names);
    return this.#taken < this.most && !shares.some(this.#isFull) ? this.#place(shares) : null;
  }

  /** The same, or the place of one who stands still. */
  take(...names: readonly string[]): ReaderPlace | null {
    const shares = this.#sharesOf(names);
    const full = shares.filter(this.#isFull);
    if (this.#taken < this.most && full.length === 0) return this.#place(shares);
    const still = this.#firstIn(full);
    if (!still) return null;
    const place = this.#place(shares);
    still.giveWay();
    return place;
  }

  #sharesOf(names: readonly string[]): Share[] {
    return names.map(
      (name, n) => this.#shares.get(name) ?? { name, part: this.parts[n] ?? 1, taken: 0, still: 0 },
    );
  }

  readonly #isFull = ({ taken, still, part }: Share): boolean => {
    const othersMoving = this.#taken - taken - (this.#still.size - still);
    return taken >= Math.max(1, Math.floor((this.most - othersMoving) * part));
  };

  /** Of those who stand still in all of these shares, of whom or of whose network there are most places; then the longest. */
  #firstIn(full: readonly Share[]): Still | undefined {
    let first: Still | undefined;
    let mostTaken = 0;
    for (const still of this.#still) {
      if (full.length > 0 && !full.every((share) => still.shares.includes(share))) continue;
      let taken = 0;
      for (const share of still.shares) taken += share.taken;
      if (first && (taken < mostTaken || (taken === mostTaken && sinceOf(first) <= sinceOf(still)))) continue;
      first = still;
      mostTaken = taken;
    }
    return first;
  }

  #place(shares: readonly Share[]): ReaderPlace {
    this.#taken++;
    for (const share of shares) {
      if (share.taken++ === 0) this.#shares.set(share.name, share);
    }
    let isLeft = false;
    let still: Still | null = null;
    const goesOn = () => {
      if (!still) return;
      this.#still.delete(still);
      for (const share of shares) share.still--;
      still = null;
    };
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      goesOn();
      this.#taken--;
      for (const share of shares) {
        if (--share.taken === 0) this.#shares.delete(share.name);
      }
    };
    const standsStill: StandsStill = (end, sinceMs) => {
      if (isLeft) return () => undefined;
      still ??= this.#stand(shares, leave);
      const { waiting } = still;
      const mine = { end, sinceMs };
      waiting.add(mine);
      return () => {
        if (waiting.delete(mine) && waiting.size === 0) goesOn();
      };
    };
    return { leave, standsStill };
  }

  #stand(shares: readonly Share[], leave: () => void): Still {
    const waiting = new Set<Waiting>();
    const giveWay = () => {
      const all = [...waiting];
      leave();
      for (const { end } of all) end();
    };
    const still = { shares, waiting, giveWay };
    this.#still.add(still);
    for (const share of shares) share.still++;
    return still;
  }
}

/** The place of one who leaves it while he waits, and takes one again, until he needs none any more. */
export class Stay {
  #isOver = false;
  #hasGivenWay = false;

  constructor(private place: ReaderPlace | null = null) {}

  get isIn(): boolean {
    return this.place !== null;
  }

  /** He has left for good, or has given way. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether that is one. */
  take(place: ReaderPlace | null): boolean {
    this.place = place;
    return this.isIn;
  }

  /** It is others' until one is taken again. */
  readonly wait = (): void => {
    this.place?.leave();
    this.place = null;
  };

  /** None is taken behind this. */
  readonly leave = (): void => {
    this.wait();
    this.#isOver = true;
  };

  /** Whoever goes on though he has given way ends the next time that he waits. */
  readonly standsStill: StandsStill = (end, sinceMs) => {
    const giveWay = () => {
      this.#hasGivenWay = true;
      this.leave();
      end();
    };
    if (this.#hasGivenWay) end();
    return this.place?.standsStill(giveWay, sinceMs) ?? (() => undefined);
  };
}
