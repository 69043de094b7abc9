/**
 * Places of answers under way, each counted for everybody who has a part in it: a user, and his network. Nobody has more than
 * a share of what the others leave, and whoever stands still leaves his: to who finds none he gives it, one for one, of a share
 * that is full one of that share itself. Where nobody stands still who could help him he is refused, and nobody gives way.
 */

/**
 * Told that one stands still in a place, and since when; `end` is called once that is another's. What it answers is called
 * when he goes on. Whose wait is dear gives way to others behind all who have as many places, and never as long as he has few.
 */
export type StandsInPlace = (end: () => void, sinceMs: number, isDear?: boolean) => () => void;

export interface ReaderPlace {
  /** May be called twice. */
  leave(): void;
  /** Once it has given way it is left. */
  standsStill: StandsInPlace;
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
  readonly isDear: boolean;
}

/** A place in which somebody waits for what does not move. */
interface Still {
  readonly shares: readonly Share[];
  /** One who goes on leaves what the others wait for as it is. */
  readonly waiting: Set<Waiting>;
  giveWay(): void;
}

/** Where one stands in the line of those who stand still. */
interface Rank {
  readonly isDear: boolean;
  /** His places times those of his network. */
  readonly weight: number;
  /** Since when the first of them has waited. */
  readonly sinceMs: number;
}

/** Dear is to others where nothing else waits in the same place. */
function rankOf({ shares, waiting }: Still, isOthers: boolean): Rank {
  let weight = 1;
  for (const share of shares) weight *= share.taken;
  let sinceMs = Number.POSITIVE_INFINITY;
  let isDear = isOthers;
  for (const each of waiting) {
    sinceMs = Math.min(sinceMs, each.sinceMs);
    isDear &&= each.isDear;
  }
  return { isDear, weight, sinceMs };
}

/**
 * First who has most places, whatever he waits for; of equals whose wait is not dear; then who has waited the longest. By
 * himself alone he would have most who has few accounts; by the sum with his network one call of an office would count as
 * all of its, and those of one alone twice. Times those of his network, neither stands for the other.
 */
function isBefore(one: Rank, other: Rank): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.isDear === other.isDear ? one.sinceMs < other.sinceMs : other.isDear;
}

export class ReaderPlaces {
  #taken = 0;
  /** Of those who have any. */
  readonly #shares = new Map<string, Share>();
  readonly #still = new Set<Still>();

  /**
   * `parts`: of what others leave, so that whoever comes next finds a place and who is alone has most of them. `few`: so many
   * of one nobody else takes, where his wait is dear.
   */
  constructor(
    readonly most: number,
    readonly parts: readonly number[],
    readonly few = 0,
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

  /** The same, or the place of one who stands still. The first name is his own, others have the next ones as well. */
  take(...names: readonly string[]): ReaderPlace | null {
    const shares = this.#sharesOf(names);
    const full = shares.filter(this.#isFull);
    if (this.#taken < this.most && full.length === 0) return this.#place(shares);
    const still = this.#firstIn(full, shares[0]);
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

  /** The first to give way to him of those who stand still in all of these shares; of all, where none is full. */
  #firstIn(full: readonly Share[], his: Share | undefined): Still | undefined {
    let first: { still: Still; rank: Rank } | undefined;
    for (const still of this.#still) {
      if (!full.every((share) => still.shares.includes(share))) continue;
      const [whose] = still.shares;
      const rank = rankOf(still, whose !== his);
      if (rank.isDear && whose && whose.taken <= this.few) continue;
      if (!first || isBefore(rank, first.rank)) first = { still, rank };
    }
    return first?.still;
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
    const standsStill: StandsInPlace = (end, sinceMs, isDear = false) => {
      if (isLeft) return () => undefined;
      still ??= this.#stand(shares, leave);
      const { waiting } = still;
      const mine = { end, sinceMs, isDear };
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
  #gaveWay = false;

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
  readonly standsStill: StandsInPlace = (end, sinceMs, isDear) => {
    const giveWay = () => {
      this.#gaveWay = true;
      this.leave();
      end();
    };
    if (this.#gaveWay) end();
    return this.place?.standsStill(giveWay, sinceMs, isDear) ?? (() => undefined);
  };
}
