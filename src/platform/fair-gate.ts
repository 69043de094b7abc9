/**
 * Lets a bounded number of works run at once and a bounded number wait, in turns that are fair by who asks: whoever has
 * nothing waiting comes before the second work of anybody else, and takes the place of the longest line when all places
 * to wait are taken. One who asks much waits long, and waits alone.
 *
 * Those behind one network take their turns among themselves: all of them together run and wait no more than half of what
 * there is, and to the others they are as one, however many accounts somebody made there.
 *
 * Some wait ahead of the others. Of two turns one is theirs at most, and so is half of the places to wait: to be ahead
 * shortens the wait of one and never shuts the others out, however many are ahead. Of the places to run some may be kept
 * for them, for works that last: a turn that comes first helps nobody while none ends.
 */
import { fail } from '../core/errors.ts';
import { overloaded, RETRY_SEC } from './overloaded.ts';
import { Tally } from './tally.ts';

export interface FairGateBounds {
  atOnce: number;
  /** Of those who are not ahead, where it is not all. */
  behindAtOnce?: number;
  /** Of one; fewer than `atOnce` keeps a place for the others. */
  ofOneAtOnce: number;
  waitingMax: number;
  ofOneWaitingMax: number;
}

/** Whose turn it is. */
export interface Turn {
  who: string;
  /** Where he asks from. Who tells none stands for himself. */
  network?: string;
  /** Waits on the side whose turn comes first; the sides take turns. */
  ahead?: boolean;
}

/** How long one waits for his place. */
export interface Patience {
  /** Aborts when he wants it no more. */
  until?: AbortSignal;
  withinMs?: number;
}

/** Gives a place back. */
export interface Leave {
  (): void;
  /**
   * To others alone: to him who had it, it counts until all of it is given back. His neighbours are others: counted for
   * his network, what lasts long would shut all behind it out.
   */
  toOthers(): void;
}

export interface FairGate {
  /** How many run and wait. */
  readonly size: number;
  /** Whether a new work of his would have to be refused. */
  isFullFor(turn: Turn): boolean;
  /**
   * Waits for a place; the answer gives it back. Throws RATE_LIMIT when too much of his waits already, OVERLOADED when
   * the line is full of others, also while he waits, or his patience is at its end.
   */
  enter(turn: Turn, patience?: Patience): Promise<Leave>;
  /** What keeps this turn waiting: what he or those behind his network run already, or all; null where it does not wait. */
  heldUpBy(turn: Turn): 'one' | 'network' | 'all' | null;
  /** Runs `work` in its turn. What is not over after `othersAfterMs` leaves its place to others until it is. */
  run<T>(turn: Turn, work: () => Promise<T>, othersAfterMs?: number): Promise<T>;
}

interface Waiter {
  turn: Turn;
  admit(): void;
  refuse(): void;
}

/** Those who wait behind one network, or one who tells none: by who asks, the next whose turn it is first. */
interface Group {
  lines: Map<string, Waiter[]>;
  waits: number;
}

/** Those who wait on one side: the next group whose turn it is first. */
interface Side {
  groups: Map<string, Group>;
  waits: number;
}

const newSide = (): Side => ({ groups: new Map(), waits: 0 });

/** Names of users and of networks stand apart. */
const groupOf = ({ who, network }: Turn): string =>
  network === undefined ? `one:${who}` : `network:${network}`;

/** The name of the most among several that has at least `least`; of equals, of the one that would wait longest. */
function mostOf<T>(among: Map<string, T>, sizeOf: (one: T) => number, least: number): string | null {
  let found: string | null = null;
  let most = least;
  for (const [name, one] of among) {
    if (sizeOf(one) < most) continue;
    found = name;
    most = sizeOf(one);
  }
  return found;
}

const longestLine = (group: Group | undefined, least: number): Waiter[] | null => {
  const who = group && mostOf(group.lines, (line) => line.length, least);
  return (who != null && group?.lines.get(who)) || null;
};

/** The longest line of the largest group that has at least `least`. */
function longestOf(side: Side, least: number): Waiter[] | null {
  const name = mostOf(side.groups, ({ waits }) => waits, least);
  return name === null ? null : longestLine(side.groups.get(name), 1);
}

function put(side: Side, waiter: Waiter): void {
  const { who } = waiter.turn;
  const name = groupOf(waiter.turn);
  const group = side.groups.get(name) ?? { lines: new Map(), waits: 0 };
  group.lines.set(who, [...(group.lines.get(who) ?? []), waiter]);
  group.waits++;
  side.waits++;
  side.groups.set(name, group);
}

/** Takes one out of his line, at its beginning or its end. */
function takeOut(side: Side, waiter: Waiter): void {
  const { who } = waiter.turn;
  const name = groupOf(waiter.turn);
  const group = side.groups.get(name);
  const line = group?.lines.get(who);
  if (!group || !line?.includes(waiter)) return;
  const left = line.filter((one) => one !== waiter);
  if (left.length > 0) group.lines.set(who, left);
  else group.lines.delete(who);
  group.waits--;
  side.waits--;
  if (group.waits === 0) side.groups.delete(name);
}

/** He, and those behind his network, go to the end of the turns, whether or not more of them waits. */
function toTheEnd(side: Side, turn: Turn): void {
  const name = groupOf(turn);
  const group = side.groups.get(name);
  if (!group) return;
  side.groups.delete(name);
  side.groups.set(name, group);
  const line = group.lines.get(turn.who);
  if (!line) return;
  group.lines.delete(turn.who);
  group.lines.set(turn.who, line);
}

const gateFull = () => overloaded('gate full');

/** What those behind one network may have of so many places. */
const halfOf = (places: number): number => Math.max(1, Math.floor(places / 2));

export function createFairGate(bounds: FairGateBounds): FairGate {
  const running = new Tally<string>();
  const runningBehind = new Tally<string>();
  let runs = 0;
  let runsBehind = 0;
  const sides = { ahead: newSide(), behind: newSide() };
  const sideOf = ({ ahead }: Turn): Side => (ahead ? sides.ahead : sides.behind);
  const waits = (): number => sides.ahead.waits + sides.behind.waits;
  /** Whose turn it is when both wait. */
  let next = sides.ahead;
  const otherThan = (side: Side): Side => (side === sides.ahead ? sides.behind : sides.ahead);

  const { behindAtOnce = bounds.atOnce } = bounds;
  const mostOfNetwork = ({ ahead }: Turn): number => halfOf(ahead ? bounds.atOnce : behindAtOnce);

  const mayRun = (turn: Turn): boolean =>
    runs < bounds.atOnce &&
    (turn.ahead || runsBehind < behindAtOnce) &&
    running.of(turn.who) < bounds.ofOneAtOnce &&
    (turn.network === undefined || runningBehind.of(groupOf(turn)) < mostOfNetwork(turn));

  const begin = (turn: Turn): Leave => {
    const countShared = (amount: 1 | -1): void => {
      runs += amount;
      if (!turn.ahead) runsBehind += amount;
      runningBehind.add(groupOf(turn), amount);
    };
    const countHis = (amount: 1 | -1): void => running.add(turn.who, amount);
    countShared(1);
    countHis(1);
    const left = { shared: false, his: false };
    const leave = (isHis: boolean): void => {
      if (!left.shared) countShared(-1);
      if (isHis && !left.his) countHis(-1);
      left.shared = true;
      left.his ||= isHis;
      admitNext();
    };
    return Object.assign(() => leave(true), { toOthers: () => leave(false) });
  };

  /** The first of a side whose turn it is and who may run. */
  const firstOf = (side: Side): Waiter | null => {
    for (const { lines } of side.groups.values()) {
      for (const [first] of lines.values()) if (first && mayRun(first.turn)) return first;
    }
    return null;
  };

  const admitNext = (): void => {
    for (const side of [next, otherThan(next)]) {
      const first = firstOf(side);
      if (!first) continue;
      takeOut(side, first);
      toTheEnd(side, first.turn);
      next = otherThan(side);
      first.admit();
      return;
    }
  };

  const ownGroup = (turn: Turn): Group | undefined => sideOf(turn).groups.get(groupOf(turn));
  const ownLine = (turn: Turn): Waiter[] => ownGroup(turn)?.lines.get(turn.who) ?? [];

  /** Whether those behind his network wait in all the places that they may have. */
  const isShareFull = (turn: Turn): boolean => {
    if (turn.network === undefined) return false;
    const waitsOn = (side: Side): number => side.groups.get(groupOf(turn))?.waits ?? 0;
    return waitsOn(sides.ahead) + waitsOn(sides.behind) >= halfOf(bounds.waitingMax);
  };

  /** The line whose last must make room for one more of his; null when nobody's. */
  const givingWayTo = (turn: Turn): Waiter[] | null => {
    const own = sideOf(turn);
    const group = ownGroup(turn);
    const neighbour = longestLine(group, ownLine(turn).length + 2);
    if (isShareFull(turn)) return neighbour;
    // A side that has less than its half takes of the other, which then has more than that.
    if (own.waits < Math.floor(bounds.waitingMax / 2)) return longestOf(otherThan(own), 1);
    return longestOf(own, (group?.waits ?? 0) + 2) ?? neighbour;
  };

  const hasTooMany = (turn: Turn): boolean => ownLine(turn).length >= bounds.ofOneWaitingMax;
  const isFull = (turn: Turn): boolean => waits() >= bounds.waitingMax || isShareFull(turn);

  const enter = async (turn: Turn, { until, withinMs }: Patience = {}): Promise<Leave> => {
    if (until?.aborted) throw gateFull();
    if (mayRun(turn)) return begin(turn);
    if (hasTooMany(turn)) throw fail('RATE_LIMIT', { internal: 'gate', retryAfterSec: RETRY_SEC });
    if (isFull(turn)) {
      const last = givingWayTo(turn)?.at(-1);
      if (!last) throw gateFull();
      takeOut(sideOf(last.turn), last);
      last.refuse();
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        takeOut(sideOf(turn), waiter);
        waiter.refuse();
      };
      const timer = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs);
      until?.addEventListener('abort', giveUp);
      const waitNoMore = () => {
        clearTimeout(timer);
        until?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        turn,
        admit() {
          waitNoMore();
          resolve(begin(turn));
        },
        refuse() {
          waitNoMore();
          reject(gateFull());
        },
      };
      put(sideOf(turn), waiter);
    });
  };

  return {
    get size() {
      return runs + waits();
    },
    isFullFor(turn) {
      if (mayRun(turn)) return false;
      return hasTooMany(turn) || (isFull(turn) && givingWayTo(turn) === null);
    },
    enter,
    heldUpBy(turn) {
      if (!ownLine(turn).some((waiter) => waiter.turn === turn)) return null;
      if (running.of(turn.who) >= bounds.ofOneAtOnce) return 'one';
      if (turn.network === undefined) return 'all';
      return runningBehind.of(groupOf(turn)) >= mostOfNetwork(turn) ? 'network' : 'all';
    },
    async run(turn, work, othersAfterMs) {
      const leave = await enter(turn);
      const slow = othersAfterMs === undefined ? undefined : setTimeout(leave.toOthers, othersAfterMs);
      try {
        return await work();
      } finally {
        clearTimeout(slow);
        leave();
      }
    },
  };
}
