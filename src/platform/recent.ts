/** Answers of the last moments, each asked for once however many want it meanwhile. */
import { LRUCache } from 'lru-cache';

export interface Recent<T> {
  get(key: string, ask: () => Promise<T>): Promise<T>;
  /** Forgets all of them; what is being asked for is not kept, since it may be as it was before. */
  drop(): void;
}

export interface RecentBounds<T> {
  keepMs: number;
  /** Beyond so many the oldest goes. */
  max: number;
  /** Whether an answer is kept at all; all are unless given. */
  isKept?: (answer: T) => boolean;
}

export function createRecent<T>(
  { keepMs, max, isKept = () => true }: RecentBounds<T>,
  clock: () => number = Date.now,
): Recent<T> {
  const held = new LRUCache<string, { answer: Promise<T>; until: number }>({ max });
  return {
    async get(key, ask) {
      // `get` would make it younger: the oldest is the one that was asked for first.
      const known = held.peek(key);
      if (known && known.until > clock()) return known.answer;
      const entry = { answer: ask(), until: Number.POSITIVE_INFINITY };
      held.set(key, entry);
      try {
        const answer = await entry.answer;
        if (isKept(answer)) entry.until = clock() + keepMs;
        else if (held.peek(key) === entry) held.delete(key);
        return answer;
      } catch (error) {
        if (held.peek(key) === entry) held.delete(key);
        throw error;
      }
    },
    drop: () => held.clear(),
  };
}
