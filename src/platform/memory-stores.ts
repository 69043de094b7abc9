/** The one-time store of a single process, used when REDIS_URL is unset. */
import { createEndingTable } from './ending-table.ts';
import type { OneTimeStore } from './one-time.ts';

export function memoryOneTimeStore(clock: () => number = Date.now): OneTimeStore {
  const values = createEndingTable<string>(clock);
  return {
    async put(key, value, ttlSec) {
      values.set(key, value, ttlSec * 1000);
    },
    async get(key) {
      return values.get(key) ?? null;
    },
    async take(key) {
      const value = values.get(key) ?? null;
      values.delete(key);
      return value;
    },
    async claim(key, ttlSec) {
      if (values.get(key) !== undefined) return false;
      values.set(key, '', ttlSec * 1000);
      return true;
    },
  };
}
