/** The limiter and the one-time store of a single process, used when REDIS_URL is unset. */
import type { Limiter, LimitRule, LimitState } from './limiter.ts';
import type { OneTimeStore } from './one-time.ts';

/** Subjects remembered at once; an attacker with many addresses fills this table, not the memory. */
const SUBJECTS_MAX = 100_000;

/** A full table loses its oldest entry, which is the next to end anyway. */
function makeRoom(table: Map<string, unknown>): void {
  if (table.size < SUBJECTS_MAX) return;
  const oldest = table.keys().next().value;
  if (oldest !== undefined) table.delete(oldest);
}

interface Window {
  startedAt: number;
  count: number;
}

/** Fixed windows that begin with a subject's first count. */
export function memoryLimiter(clock: () => number = Date.now): Limiter {
  const windows = new Map<string, Window>();

  const live = (rule: LimitRule): Window | undefined => {
    const known = windows.get(rule.key);
    return known && known.startedAt + rule.windowSec * 1000 > clock() ? known : undefined;
  };

  const begin = (rule: LimitRule): Window => {
    const fresh = { startedAt: clock(), count: 0 };
    windows.delete(rule.key);
    makeRoom(windows);
    windows.set(rule.key, fresh);
    return fresh;
  };

  const state = (rule: LimitRule, window: Window, counted: number): LimitState => {
    const ok = counted <= rule.limit;
    const leftMs = window.startedAt + rule.windowSec * 1000 - clock();
    return {
      ok,
      remaining: Math.max(rule.limit - counted, 0),
      retryAfterSec: ok ? 0 : Math.max(Math.ceil(leftMs / 1000), 1),
    };
  };

  return {
    async take(rule) {
      const window = live(rule) ?? begin(rule);
      window.count++;
      return state(rule, window, window.count);
    },
    async peek(rule) {
      const window = live(rule) ?? { startedAt: clock(), count: 0 };
      return state(rule, window, window.count + 1);
    },
    async clear(key) {
      windows.delete(key);
    },
  };
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
  };
}
