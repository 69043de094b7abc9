/**
 * What one process keeps for a while: bounded, however many ask. What lasts long stands apart from what lasts short,
 * so that whoever causes many short entries, as every request does, pushes none out that is to stand for a day.
 */
import { limits } from '../core/limits.ts';

interface Entry<V> {
  value: V;
  endsAt: number;
}

interface Span<V> {
  maxMs: number;
  entries: Map<string, Entry<V>>;
}

export interface EndingTable<V> {
  /** Undefined when it is over, or was never there. */
  get(key: string): V | undefined;
  /** Milliseconds that it has left; 0 when it is over. */
  leftMs(key: string): number;
  /** Replaces what the key had, and its time. */
  set(key: string, value: V, ms: number): void;
  delete(key: string): void;
}

export function createEndingTable<V>(clock: () => number): EndingTable<V> {
  const spans = [...limits.windowSpansSec, Number.POSITIVE_INFINITY].map(
    (sec): Span<V> => ({ maxMs: sec * 1000, entries: new Map() }),
  );

  const live = (key: string): Entry<V> | undefined => {
    for (const { entries } of spans) {
      const entry = entries.get(key);
      if (entry && entry.endsAt > clock()) return entry;
    }
    return undefined;
  };
  const remove = (key: string): void => {
    for (const { entries } of spans) entries.delete(key);
  };

  /**
   * A full span loses what is over, and then its oldest, which are about the next to end. It loses many at once: a search
   * for each new entry would make a flood of them dear.
   */
  const makeRoom = ({ entries }: Span<V>): void => {
    if (entries.size < limits.windowsInMemory) return;
    for (const [key, { endsAt }] of entries) if (endsAt <= clock()) entries.delete(key);
    for (const key of entries.keys()) {
      if (entries.size <= limits.windowsInMemory - limits.windowsDropped) return;
      entries.delete(key);
    }
  };

  return {
    get: (key) => live(key)?.value,
    leftMs(key) {
      const entry = live(key);
      return entry ? entry.endsAt - clock() : 0;
    },
    set(key, value, ms) {
      remove(key);
      const span = spans.find(({ maxMs }) => ms <= maxMs);
      if (!span) throw new Error(`no span of ${ms} ms`);
      makeRoom(span);
      span.entries.set(key, { value, endsAt: clock() + ms });
    },
    delete: remove,
  };
}
