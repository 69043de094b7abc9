/** The one-time store of a single process, used when REDIS_URL is unset. */
import { limits } from '../core/limits.ts';
import { createEndingTable } from './ending-table.ts';
import type { OneTimeStore } from './one-time.ts';
import { createShelves } from './shelves.ts';

/** `shelfBytes`: what lies on shelves, of those who are known and of strangers apart. */
export function memoryOneTimeStore(
  clock: () => number = Date.now,
  shelfBytes: number = limits.begunInMemoryBytes,
): OneTimeStore {
  // What anybody may begin stands apart, so that no flood of it pushes out a code that was sent; and what strangers begin
  // from what those begin who are known.
  const known = createShelves(clock, shelfBytes);
  const strangers = createShelves(clock, shelfBytes);
  const others = createEndingTable<string>(clock);

  const find = (key: string): string | undefined => others.get(key) ?? known.get(key) ?? strangers.get(key);
  const remove = (key: string): void => {
    for (const table of [others, known, strangers]) table.delete(key);
  };

  return {
    async put(key, value, ttlSec, on = []) {
      const ms = ttlSec * 1000;
      remove(key);
      if (on.length === 0) others.set(key, value, ms);
      else (on.some(({ isKnown }) => isKnown) ? known : strangers).put(key, value, ms, on);
    },
    async get(key) {
      return find(key) ?? null;
    },
    async getAll(keys) {
      return keys.map((key) => find(key) ?? null);
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
