/**
 * Who has seen a channel or a key fail since it last answered. What one caller asks for may fail wherever it is asked, so
 * that a test of our own decides what is taken out of service. Only of what no test can ask several must have seen it, who
 * are not of one network.
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

interface Seen {
  readonly users: Set<number>;
  readonly networks: Set<string>;
}

export class Witnesses {
  readonly #seen = new LRUCache<string, Seen>({ max: limits.breakersMax });
  readonly #well = new LRUCache<string, true>({ max: limits.breakersMax, ttl: limits.testAgainMs });

  /** Somebody has seen it fail. */
  saw(name: string, { userId, ip }: Witness): void {
    const seen = this.#seen.get(name) ?? { users: new Set(), networks: new Set() };
    if (areEnough(seen)) return;
    seen.users.add(userId);
    seen.networks.add(turnSubject(ip));
    this.#seen.set(name, seen);
  }

  /** Whether so many have that it is not the doing of one of them. */
  areEnough(name: string): boolean {
    const seen = this.#seen.get(name);
    return seen !== undefined && areEnough(seen);
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

const areEnough = ({ users, networks }: Seen): boolean =>
  Math.min(users.size, networks.size) >= limits.witnesses;
