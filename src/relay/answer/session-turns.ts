/**
 * The turns that the events of all sessions take: each turn of the loop passes so much of them together, however many there
 * are, and leaves the rest of it to everybody else. Whoever has had least comes first, by network, and behind one by user,
 * so that many small events of one wait for no large ones of another. One may be larger than what is left: that much less
 * pass in the turns after it.
 */
import { limits } from '../../core/limits.ts';

/** Whose session it is. */
export interface Whose {
  readonly userId: number;
  readonly network: string;
}

/** What takes turns. */
export interface TurnTaker {
  readonly whose: Whose;
  /** Passes the next of its events; what that takes, in characters, and whether another one waits for a turn. */
  passNext(): { takes: number; again: boolean };
}

/** What one has had, beside others. */
class Share {
  #had = 0;
  /** What the one of those within had had whose turn was last. */
  #now = 0;
  readonly #within = new Map<string | number, Share>();

  constructor(readonly among: Share | null = null) {}

  of(name: string | number): Share {
    const known = this.#within.get(name);
    if (known) return known;
    const share = new Share(this);
    this.#within.set(name, share);
    return share;
  }

  /** Who had nothing to pass for a while is owed nothing for it. */
  get had(): number {
    return Math.max(this.#had, this.among ? this.among.#now : 0);
  }

  take(amount: number): void {
    const { had } = this;
    if (this.among) this.among.#now = had;
    this.#had = had + amount;
  }
}

/** Of one who waits. */
interface Shares {
  network: Share;
  user: Share;
}

const isBefore = (one: Shares, other: Shares): boolean =>
  (one.network.had - other.network.had || one.user.had - other.user.had) < 0;

export class SessionTurns {
  #all = new Share();
  /** Characters that may be passed in this turn yet; what is below nothing, the next ones lack. */
  #left: number = limits.sessionsTurnChars;
  /** In the order in which they came, or had their last turn. */
  readonly #waiting = new Map<TurnTaker, Shares>();
  #turn: NodeJS.Immediate | undefined;

  /** It has something to pass: now, where this turn has something left, or else when its turn comes. */
  wait(taker: TurnTaker): void {
    if (!this.#waiting.has(taker)) this.#waiting.set(taker, this.#sharesOf(taker.whose));
    this.#pass();
  }

  leave(taker: TurnTaker): void {
    this.#waiting.delete(taker);
  }

  #sharesOf({ userId, network }: Whose): Shares {
    const share = this.#all.of(network);
    return { network: share, user: share.of(userId) };
  }

  #pass(): void {
    while (this.#left > 0) {
      const first = this.#first();
      if (!first) break;
      const [taker, shares] = first;
      this.#waiting.delete(taker);
      const { takes, again } = taker.passNext();
      shares.network.take(takes);
      shares.user.take(takes);
      this.#left -= takes;
      this.#turn ??= setImmediate(this.#nextTurn);
      if (again) this.#waiting.set(taker, shares);
    }
  }

  #first(): [TurnTaker, Shares] | null {
    let first: [TurnTaker, Shares] | null = null;
    for (const each of this.#waiting) if (!first || isBefore(each[1], first[1])) first = each;
    return first;
  }

  readonly #nextTurn = (): void => {
    this.#turn = undefined;
    this.#left = Math.min(this.#left + limits.sessionsTurnChars, limits.sessionsTurnChars);
    this.#pass();
    if (this.#left < limits.sessionsTurnChars) this.#turn ??= setImmediate(this.#nextTurn);
    // Nobody waits and nothing is lacking: all begin anew.
    else this.#all = new Share();
  };
}
