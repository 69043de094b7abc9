/** The one-time store of a single process, used when REDIS_URL is unset. */
import type { OneTimeStore } from './one-time.ts';

/** Subjects remembered at once; an attacker with many addresses fills this table, not the memory. */
const SUBJECTS_MAX = 100_000;

/** A full table loses its oldest entry, which is the next to end anyway. */
export function makeRoom(table: Map<string, unknown>): void {
  if (table.size < SUBJECTS_MAX) return;
  const oldest = table.keys().next().value;
  if (oldest !== undefined) table.delete(oldest);
}

export function memoryOneTimeStore(clock: () => number = Date.now): OneTimeStore {
  const values = new Map<string, { value: string; until: number }>();
  const live = (key: string): string | null => {
    const held = values.get(key);
    if (held && held.until > clock()) return held.value;
    values.delete(key);
    return null;
  };
  return {
    async put(key, value, ttlSec) {
      values.delete(key);
      makeRoom(values);
      values.set(key, { value, until: clock() + ttlSec * 1000 });
    },
    async get(key) {
      return live(key);
    },
    async take(key) {
      const value = live(key);
      values.delete(key);
      return value;
    },
    async claim(key, ttlSec) {
      if (live(key) !== null) return false;
      makeRoom(values);
      values.set(key, { value: '', until: clock() + ttlSec * 1000 });
      return true;
    },
  };
}
