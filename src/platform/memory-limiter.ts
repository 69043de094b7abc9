/** The limiter of a single process, used when REDIS_URL is unset and while Redis is away. */
import { createEndingTable } from './ending-table.ts';
import { isNamed, type Limiter, type LimitRule, type LimitState, limitState } from './limiter.ts';

interface Window {
  count: number;
}

export function memoryLimiter(clock: () => number = Date.now): Limiter {
  const [named, others] = [createEndingTable<Window>(clock), createEndingTable<Window>(clock)];
  const windowsOf = (key: string) => (isNamed(key) ? named : others);
  const slots = new Map<string, Set<string>>();

  const count = ({ key, windowSec }: Pick<LimitRule, 'key' | 'windowSec'>, amount: number): void => {
    const windows = windowsOf(key);
    const known = windows.get(key);
    if (!known) {
      if (amount > 0) windows.set(key, { count: amount }, windowSec * 1000);
      return;
    }
    known.count += amount;
    // Where all was given back, nothing need be kept: else who is never counted would fill the table.
    if (known.count <= 0) windows.delete(key);
  };
  const stateOf = (rule: LimitRule): LimitState => {
    const windows = windowsOf(rule.key);
    const leftMs = windows.leftMs(rule.key) || rule.windowSec * 1000;
    return limitState(rule, (windows.get(rule.key)?.count ?? 0) + (rule.cost ?? 1), leftMs);
  };
  const takeAll = (rules: readonly LimitRule[]): LimitState[] => {
    const states = rules.map(stateOf);
    if (states.every(({ ok }) => ok)) for (const rule of rules) count(rule, rule.cost ?? 1);
    return states;
  };

  return {
    async take(rule) {
      const [state = stateOf(rule)] = takeAll([rule]);
      return state;
    },
    takeAll: async (rules) => takeAll(rules),
    peek: async (rule) => stateOf(rule),
    counted: async (key) => windowsOf(key).get(key)?.count ?? 0,
    add: async (rule, amount) => count(rule, amount),
    async clear(key) {
      windowsOf(key).delete(key);
    },
    async enter({ key, limit, id }) {
      const held = slots.get(key) ?? new Set<string>();
      if (held.size >= limit) return false;
      held.add(id);
      slots.set(key, held);
      return true;
    },
    async leave({ key, id }) {
      const held = slots.get(key);
      held?.delete(id);
      if (held?.size === 0) slots.delete(key);
    },
  };
}
