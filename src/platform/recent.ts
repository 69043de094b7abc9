/** Answers of the last moments, each asked for once however many want it meanwhile. */
import { LRUCache } from 'lru-cache';

export interface Recent<T> {
  get(key: string, ask: () => Promise<T>): Promise<T>;
  /**
   * Forgets those of `owner`, or all of them. What is being asked for is shared with nobody who asks from now on, and is
   * not kept where it may be as it was before.
   */
  drop(owner?: string): void;
}

export interface RecentBounds<T> {
  keepMs: number;
  /** Beyond so many the oldest goes. */
  max: number;
  /** Whether an answer is kept at all; all are unless given. */
  isKept?: (answer: T) => boolean;
  /** Whose an answer is; null, which all are unless given, goes with anybody's. */
  ownerOf?: (answer: T, key: string) => string | null;
}

interface Entry<T> {
  answer: Promise<T>;
  until: number;
  /** How many drops had been before it was asked for. */
  asOf: number;
  /** Nobody's until it is there. */
  owner: string | null;
}

export function createRecent<T>(
  { keepMs, max, isKept = () => true, ownerOf = () => null }: RecentBounds<T>,
  clock: () => number = Date.now,
): Recent<T> {
  const held = new LRUCache<string, Entry<T>>({ max });
  let drops = 0;
  let allDroppedAt = 0;
  /** By owner, since all were dropped: an owner's drop costs no search among what is kept. */
  const droppedAt = new Map<string, number>();
  const isStale = ({ asOf, owner }: Entry<T>): boolean =>
    asOf < (owner === null ? drops : Math.max(allDroppedAt, droppedAt.get(owner) ?? 0));
  return {
    async get(key, ask) {
      // `get` would make it younger: the oldest is the one that was asked for first.
      const known = held.peek(key);
      if (known && known.until > clock() && !isStale(known)) return known.answer;
      const entry: Entry<T> = { answer: ask(), until: Number.POSITIVE_INFINITY, asOf: drops, owner: null };
      held.set(key, entry);
      try {
        const answer = await entry.answer;
        entry.owner = ownerOf(answer, key);
        if (isKept(answer) && !isStale(entry)) entry.until = clock() + keepMs;
        else if (held.peek(key) === entry) held.delete(key);
        return answer;
      } catch (error) {
        if (held.peek(key) === entry) held.delete(key);
        throw error;
      }
    },
    drop(owner) {
      drops++;
      // Owners are remembered within bounds, too: beyond them all are dropped.
      if (owner !== undefined && droppedAt.size < max) {
        droppedAt.set(owner, drops);
        return;
      }
      allDroppedAt = drops;
      droppedAt.clear();
      held.clear();
    },
  };
}
