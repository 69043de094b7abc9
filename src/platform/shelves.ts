/**
 * What anybody may begin, in one process without Redis: on shelves of whoever began it, and bounded, however many begin.
 * When all of it is full, the fullest shelves for their size give way, so that who begins much pushes out his own.
 */
import type { Shelf } from './one-time.ts';

interface Begun {
  value: string;
  endsAt: number;
  shelves: readonly string[];
  bytes: number;
}

interface Held {
  /** Of what lies there, the oldest first. */
  keys: Set<string>;
  bytes: number;
  limit: number;
}

/** What an entry takes up beside its texts, of which letters beyond the Latin ones take two bytes each. */
const ENTRY_BYTES = 512;
const bytesOf = (key: string, value: string): number => ENTRY_BYTES + 2 * (key.length + value.length);

/** What goes at once when all is full: to search for each new entry would make a flood of them dear. */
const DROPPED = 1 / 16;
/** How far the fullest shelves go down before they are compared again. */
const LOWERED = 7 / 8;

export interface Shelves {
  get(key: string): string | undefined;
  /** Replaces what the key had. */
  put(key: string, value: string, ms: number, on: readonly Shelf[]): void;
  delete(key: string): void;
}

export function createShelves(clock: () => number, mostBytes: number): Shelves {
  const begun = new Map<string, Begun>();
  const shelves = new Map<string, Held>();
  let bytes = 0;

  const isOver = (key: string): boolean => (begun.get(key)?.endsAt ?? 0) <= clock();

  const remove = (key: string): void => {
    const entry = begun.get(key);
    if (!entry) return;
    begun.delete(key);
    bytes -= entry.bytes;
    for (const name of entry.shelves) {
      const held = shelves.get(name);
      if (!held) continue;
      held.keys.delete(key);
      held.bytes -= entry.bytes;
      if (held.keys.size === 0) shelves.delete(name);
    }
  };

  /** A larger network may hold more: it is not fuller for what its smaller ones hold. */
  const fullness = (held: Held): number => held.bytes / held.limit;

  const makeRoom = (): void => {
    if (bytes < mostBytes) return;
    for (const key of begun.keys()) if (isOver(key)) remove(key);
    const enough = mostBytes * (1 - DROPPED);
    while (bytes > enough) {
      const fullest = shelves.values().reduce((most, held) => Math.max(most, fullness(held)), 0);
      for (const held of shelves.values()) {
        for (const oldest of held.keys) {
          if (fullness(held) <= fullest * LOWERED) break;
          if (bytes <= enough) return;
          remove(oldest);
        }
      }
    }
  };

  const lay = (key: string, size: number, { key: name, limit }: Shelf): void => {
    const held: Held = shelves.get(name) ?? { keys: new Set(), bytes: 0, limit };
    for (const oldest of held.keys) {
      if (held.keys.size < limit && !isOver(oldest)) break;
      remove(oldest);
    }
    held.limit = limit;
    held.keys.add(key);
    held.bytes += size;
    shelves.set(name, held);
  };

  return {
    get(key) {
      const entry = begun.get(key);
      return entry && entry.endsAt > clock() ? entry.value : undefined;
    },
    put(key, value, ms, on) {
      remove(key);
      makeRoom();
      const size = bytesOf(key, value);
      for (const shelf of on) lay(key, size, shelf);
      begun.set(key, { value, endsAt: clock() + ms, shelves: on.map((shelf) => shelf.key), bytes: size });
      bytes += size;
    },
    delete: remove,
  };
}
