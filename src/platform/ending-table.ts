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
  /** Of all its values. */
  bytes: number;
}

/** What values take up, and all of a span may. */
interface Size<V> {
  bytesOf(value: V): number;
  most: number;
}

const UNMEASURED: Size<unknown> = { bytesOf: () => 0, most: Number.POSITIVE_INFINITY };

export interface EndingTable<V> {
  /** Undefined when it is over, or was never there. */
  get(key: string): V | undefined;
  /** Milliseconds that it has left; 0 when it is over. */
  leftMs(key: string): number;
  /** Replaces what the key had, and its time. */
  set(key: string, value: V, ms: number): void;
  delete(key: string): void;
}

export function createEndingTable<V>(clock: () => number, size: Size<V> = UNMEASURED): EndingTable<V> {
  const spans = [...limits.windowSpansSec, Number.POSITIVE_INFINITY].map(
    (sec): Span<V> => ({ maxMs: sec * 1000, entries: new Map(), bytes: 0 }),
  );

  const live = (key: string): Entry<V> | undefined => {
    for (const { entries } of spans) {
      const entry = entries.get(key);
      if (entry && entry.endsAt > clock()) return entry;
    }
    return undefined;
  };
  const removeFrom = (span: Span<V>, key: string): void => {
    const entry = span.entries.get(key);
    if (!entry) return;
    span.entries.delete(key);
    span.bytes -= size.bytesOf(entry.value);
  };
  const remove = (key: string): void => {
    for (const span of spans) removeFrom(span, key);
  };

  /**
   * A full span loses what is over, and then its oldest, which are about the next to end. It loses many at once: a search
   * for each new entry would make a flood of them dear.
   */
  const makeRoom = (span: Span<V>): void => {
    const { entries } = span;
    if (entries.size < limits.windowsInMemory && span.bytes < size.most) return;
    for (const [key, { endsAt }] of entries) if (endsAt <= clock()) removeFrom(span, key);
    const part = 1 - limits.windowsDropped / limits.windowsInMemory;
    for (const key of entries.keys()) {
      if (entries.size <= limits.windowsInMemory * part && span.bytes <= size.most * part) return;
      removeFrom(span, key);
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
      span.bytes += size.bytesOf(value);
    },
    delete: remove,
  };
}
