/**
 * Lets a bounded number of works run at once and a bounded number wait, in turns that are fair by who asks: whoever has
 * nothing waiting comes before the second work of anybody else, and takes the place of the longest line when all places
 * to wait are taken. One who asks much waits long, and waits alone.
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
  /** Comes before all who are not. */
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

const RETRY_SEC = 2;
const overloaded = () => fail('OVERLOADED', { internal: 'gate full', retryAfterSec: RETRY_SEC });

export function createFairGate(bounds: FairGateBounds): FairGate {
  const running = new Map<string, number>();
  let runs = 0;
  let waits = 0;
  // By who asks, the next whose turn it is first.
  const lanes = { ahead: new Map<string, Waiter[]>(), behind: new Map<string, Waiter[]>() };
  const lanesOf = ({ ahead }: Turn) => (ahead ? lanes.ahead : lanes.behind);

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
    for (const lane of [lanes.ahead, lanes.behind]) {
      for (const [who, line] of lane) {
        if (!mayRun(who)) continue;
        // He goes to the end of the turns, whether or not more of his waits.
        lane.delete(who);
        const [next, ...rest] = line;
        if (rest.length > 0) lane.set(who, rest);
        waits--;
        next?.admit();
        return;
      }
    }
  };

  /** The longest line that must make room for one more of his; null when none is longer than his would be. */
  const longestFor = (turn: Turn): [Map<string, Waiter[]>, string, Waiter[]] | null => {
    const own = lanesOf(turn).get(turn.who)?.length ?? 0;
    const longest = (lane: Map<string, Waiter[]>, longerThan: number) => {
      let found: [Map<string, Waiter[]>, string, Waiter[]] | null = null;
      for (const [who, line] of lane) {
        if (line.length > (found?.[2].length ?? longerThan)) found = [lane, who, line];
      }
      return found;
    };
    // Who comes ahead need not be the shorter line.
    const behind = longest(lanes.behind, turn.ahead ? 0 : own + 1);
    return behind ?? (turn.ahead ? longest(lanes.ahead, own + 1) : null);
  };

  const hasTooMany = (turn: Turn): boolean =>
    (lanesOf(turn).get(turn.who)?.length ?? 0) >= bounds.ofOneWaitingMax;

  const enter = async (turn: Turn): Promise<() => void> => {
    const { who } = turn;
    if (mayRun(who)) return begin(who);
    if (hasTooMany(turn)) throw fail('RATE_LIMIT', { internal: 'gate', retryAfterSec: RETRY_SEC });
    if (waits >= bounds.waitingMax) {
      const longest = longestFor(turn);
      if (!longest) throw overloaded();
      const [lane, other, line] = longest;
      line.pop()?.refuse();
      if (line.length === 0) lane.delete(other);
      waits--;
    }
    return new Promise((resolve, reject) => {
      const waiter = { admit: () => resolve(begin(who)), refuse: () => reject(overloaded()) };
      const lane = lanesOf(turn);
      lane.set(who, [...(lane.get(who) ?? []), waiter]);
      waits++;
    });
  };

  return {
    get size() {
      return runs + waits;
    },
    isFullFor(turn) {
      if (mayRun(turn.who)) return false;
      return hasTooMany(turn) || (waits >= bounds.waitingMax && longestFor(turn) === null);
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
