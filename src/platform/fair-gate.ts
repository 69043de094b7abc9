/**
 * Lets a bounded number of works run at once and a bounded number wait, in turns that are fair by who asks: whoever has
 * nothing waiting comes before the second work of anybody else, and takes the place of the longest line when all places
 * to wait are taken. One who asks much waits long, and waits alone.
 *
 * Some wait ahead of the others. Of two turns one is theirs at most, and so is half of the places to wait: to be ahead
 * shortens the wait of one and never shuts the others out, however many are ahead.
 */
import { fail } from '../core/errors.ts';

export interface FairGateBounds {
  atOnce: number;
  /** Of one; fewer than `atOnce` keeps a place for the others. */
  ofOneAtOnce: number;
  waitingMax: number;
  ofOneWaitingMax: number;
}

/** Whose turn it is. */
export interface Turn {
  who: string;
  /** Waits on the side whose turn comes first; the sides take turns. */
  ahead?: boolean;
}

export interface FairGate {
  /** How many run and wait. */
  readonly size: number;
  /** Whether a new work of his would have to be refused. */
  isFullFor(turn: Turn): boolean;
  /**
   * Waits for a place; the answer gives it back. Throws RATE_LIMIT when too much of his waits already, OVERLOADED when
   * the line is full of others, also while he waits.
   */
  enter(turn: Turn): Promise<() => void>;
  /** Runs `work` in its turn. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
}

interface Waiter {
  admit(): void;
  refuse(): void;
}

/** Those who wait on one side. */
interface Side {
  /** By who asks, the next whose turn it is first. */
  lines: Map<string, Waiter[]>;
  waits: number;
}

const newSide = (): Side => ({ lines: new Map(), waits: 0 });

/** The longest line of a side that is longer than `least`; of equals, the one that would wait longest. */
function longestOf(side: Side, least: number): { side: Side; who: string } | null {
  let found: { side: Side; who: string } | null = null;
  let length = least + 1;
  for (const [who, line] of side.lines) {
    if (line.length < length) continue;
    found = { side, who };
    length = line.length;
  }
  return found;
}

function dropLast(side: Side, who: string): void {
  const line = side.lines.get(who) ?? [];
  line.pop()?.refuse();
  if (line.length === 0) side.lines.delete(who);
  side.waits--;
}

const RETRY_SEC = 2;
const overloaded = () => fail('OVERLOADED', { internal: 'gate full', retryAfterSec: RETRY_SEC });

export function createFairGate(bounds: FairGateBounds): FairGate {
  const running = new Map<string, number>();
  let runs = 0;
  const sides = { ahead: newSide(), behind: newSide() };
  const sideOf = ({ ahead }: Turn): Side => (ahead ? sides.ahead : sides.behind);
  const waits = (): number => sides.ahead.waits + sides.behind.waits;
  /** Whose turn it is when both wait. */
  let next = sides.ahead;
  const otherThan = (side: Side): Side => (side === sides.ahead ? sides.behind : sides.ahead);

  const runningOf = (who: string): number => running.get(who) ?? 0;
  const mayRun = (who: string): boolean => runs < bounds.atOnce && runningOf(who) < bounds.ofOneAtOnce;

  const begin = (who: string): (() => void) => {
    runs++;
    running.set(who, runningOf(who) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      runs--;
      const left = runningOf(who) - 1;
      if (left > 0) running.set(who, left);
      else running.delete(who);
      admitNext();
    };
  };

  const admitNext = (): void => {
    for (const side of [next, otherThan(next)]) {
      for (const [who, line] of side.lines) {
        if (!mayRun(who)) continue;
        const first = line[0];
        // He goes to the end of the turns, whether or not more of his waits.
        side.lines.delete(who);
        if (line.length > 1) side.lines.set(who, line.slice(1));
        side.waits--;
        next = otherThan(side);
        first?.admit();
        return;
      }
    }
  };

  /** Whose last must make room for one more of his; null when nobody's. */
  const givingWayTo = (turn: Turn): { side: Side; who: string } | null => {
    const own = sideOf(turn);
    // A side that has less than its half takes of the other, which then has more than that.
    if (own.waits < Math.floor(bounds.waitingMax / 2)) return longestOf(otherThan(own), 0);
    return longestOf(own, (own.lines.get(turn.who)?.length ?? 0) + 1);
  };

  const hasTooMany = (turn: Turn): boolean =>
    (sideOf(turn).lines.get(turn.who)?.length ?? 0) >= bounds.ofOneWaitingMax;

  const enter = async (turn: Turn): Promise<() => void> => {
    const { who } = turn;
    if (mayRun(who)) return begin(who);
    if (hasTooMany(turn)) throw fail('RATE_LIMIT', { internal: 'gate', retryAfterSec: RETRY_SEC });
    if (waits() >= bounds.waitingMax) {
      const longest = givingWayTo(turn);
      if (!longest) throw overloaded();
      dropLast(longest.side, longest.who);
    }
    return new Promise((resolve, reject) => {
      const { lines } = sideOf(turn);
      const waiter = { admit: () => resolve(begin(who)), refuse: () => reject(overloaded()) };
      lines.set(who, [...(lines.get(who) ?? []), waiter]);
      sideOf(turn).waits++;
    });
  };

  return {
    get size() {
      return runs + waits();
    },
    isFullFor(turn) {
      if (mayRun(turn.who)) return false;
      return hasTooMany(turn) || (waits() >= bounds.waitingMax && givingWayTo(turn) === null);
    },
    enter,
    async run(turn, work) {
      const leave = await enter(turn);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
