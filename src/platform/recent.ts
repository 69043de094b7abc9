/** Answers of the last moments, each asked for once however many want it meanwhile. */
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
  const held = new Map<string, { answer: Promise<T>; until: number }>();
  return {
    async get(key, ask) {
      const known = held.get(key);
      if (known && known.until > clock()) return known.answer;
      held.delete(key);
      const oldest = held.size >= max ? held.keys().next().value : undefined;
      if (oldest !== undefined) held.delete(oldest);
      const entry = { answer: ask(), until: Number.POSITIVE_INFINITY };
      held.set(key, entry);
      try {
        const answer = await entry.answer;
        if (isKept(answer)) entry.until = clock() + keepMs;
        else if (held.get(key) === entry) held.delete(key);
        return answer;
      } catch (error) {
        if (held.get(key) === entry) held.delete(key);
        throw error;
      }
    },
    drop: () => held.clear(),
  };
}
