/**
 * Who has seen a channel or a key fail since it last answered. What one caller asks for may fail wherever it is asked, so
 * that a test of our own decides what is taken out of service. Of what no test can ask several must have seen it of late,
 * who are not of one network, and its account must not be answered either.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { turnSubject } from '../../platform/limiter.ts';

/** Whose call it was. */
export interface Witness {
  readonly userId: number;
  readonly ip: string;
}

/** What they have seen. */
export const channelSeen = ({ id }: { id: number }): string => `channel:${id}`;
export const keySeen = ({ id }: { id: number }): string => `key:${id}`;

/** When each has seen it last. No more are kept than are enough, the latest. */
interface Seen {
  readonly users: Map<number, number>;
  readonly networks: Map<string, number>;
}

const NOBODY: Seen = { users: new Map(), networks: new Map() };

function noteIn<Of>(all: Map<Of, number>, one: Of, now: number): void {
  all.delete(one);
  all.set(one, now);
  const [earliest] = all.keys();
  if (all.size > limits.witnesses && earliest !== undefined) all.delete(earliest);
}

const lately = (all: ReadonlyMap<unknown, number>, now: number): number =>
  [...all.values()].filter((at) => now - at <= limits.witnessMs).length;

export class Witnesses {
  readonly #seen: LRUCache<string, Seen>;
  readonly #well = new LRUCache<string, true>({ max: limits.breakersMax, ttl: limits.testAgainMs });

  constructor(readonly clock: { now(): number } = performance) {
    this.#seen = new LRUCache({ max: limits.breakersMax, ttl: limits.witnessMs, perf: clock });
  }

  /** Somebody has seen it fail. What he has seen counts for a while. */
  saw(name: string, { userId, ip }: Witness): void {
    const now = this.clock.now();
    const { users, networks } = this.#seen.get(name) ?? { users: new Map(), networks: new Map() };
    noteIn(users, userId, now);
    noteIn(networks, turnSubject(ip), now);
    this.#seen.set(name, { users, networks });
  }

  /** Whether so many have that it is not the doing of one of them. */
  areEnough(name: string): boolean {
    const now = this.clock.now();
    const { users, networks } = this.#seen.get(name) ?? NOBODY;
    return Math.min(lately(users, now), lately(networks, now)) >= limits.witnesses;
  }

  /** It has answered. */
  forget(name: string): void {
    if (this.#seen.size > 0) this.#seen.delete(name);
  }

  /** A test of our own was answered: for a while there need not be another. */
  foundWell(name: string): void {
    this.forget(name);
    this.#well.set(name, true);
  }

  wasFoundWell(name: string): boolean {
    return this.#well.has(name);
  }
}
