/** The one-time store of a single process, used when REDIS_URL is unset. */
import { limits } from '../core/limits.ts';
import { createEndingTable } from './ending-table.ts';
import type { OneTimeStore, Shelf } from './one-time.ts';

/** The keys of what lies on a shelf, the oldest first, and when each is over. */
type Keys = Map<string, number>;

/** Letters beyond the Latin ones take two each. */
const bytesOf = (value: string): number => 2 * value.length;

export function memoryOneTimeStore(clock: () => number = Date.now): OneTimeStore {
  // What lies on shelves anybody may begin: it stands apart, so that no flood of it pushes out a code that was sent.
  const begun = createEndingTable<string>(clock, { bytesOf, most: limits.begunInMemoryBytes });
  const others = createEndingTable<string>(clock);
  const shelves = createEndingTable<Keys>(clock);

  const find = (key: string): string | undefined => others.get(key) ?? begun.get(key);
  const remove = (key: string): void => {
    others.delete(key);
    begun.delete(key);
  };

  const place = (shelf: Shelf, key: string, ms: number): void => {
    const keys: Keys = shelves.get(shelf.key) ?? new Map();
    keys.delete(key);
    for (const [oldest, endsAt] of keys) {
      const isOver = endsAt <= clock();
      if (!isOver && keys.size < shelf.limit) break;
      keys.delete(oldest);
      if (!isOver) begun.delete(oldest);
    }
    keys.set(key, clock() + ms);
    shelves.set(shelf.key, keys, ms);
  };

  return {
    async put(key, value, ttlSec, on = []) {
      const ms = ttlSec * 1000;
      remove(key);
      (on.length === 0 ? others : begun).set(key, value, ms);
      for (const shelf of on) place(shelf, key, ms);
    },
    async get(key) {
      return find(key) ?? null;
    },
    async take(key) {
      const value = find(key) ?? null;
      remove(key);
      return value;
    },
    async claim(key, ttlSec) {
      if (find(key) !== undefined) return false;
      others.set(key, '', ttlSec * 1000);
      return true;
    },
  };
}
