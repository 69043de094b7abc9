/** The limiter and the one-time store of a single process, used when REDIS_URL is unset. */
import type { Limiter, LimitRule, LimitState } from './limiter.ts';
import type { OneTimeStore } from './one-time.ts';

/** Subjects remembered at once; an attacker with many addresses fills this table, not the memory. */
const SUBJECTS_MAX = 100_000;

interface Window {
  startedAt: number;
  count: number;
}

/** Fixed windows that begin with a subject's first count. */
export function memoryLimiter(clock: () => number = Date.now): Limiter {
  const windows = new Map<string, Window>();

  const current = (rule: LimitRule): Window => {
    const known = windows.get(rule.key);
    if (known && known.startedAt + rule.windowSec * 1000 > clock()) return known;
    if (windows.size >= SUBJECTS_MAX) {
      const oldest = windows.keys().next().value;
      if (oldest !== undefined) windows.delete(oldest);
    }
    const fresh = { startedAt: clock(), count: 0 };
    windows.delete(rule.key);
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
      const window = current(rule);
      window.count++;
      return state(rule, window, window.count);
    },
    async peek(rule) {
      const window = current(rule);
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
      if (values.size >= SUBJECTS_MAX)
        for (const [name, held] of values) if (held.until <= clock()) values.delete(name);
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
