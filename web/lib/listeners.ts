/** Who wants to hear when something changes that is kept beside the page. */
export interface Listeners {
  readonly size: number;
  /** Answers how to hear no more of it. */
  add(listener: () => void): () => void;
  tell(): void;
}

export function createListeners(): Listeners {
  const all = new Set<() => void>();
  return {
    get size() {
      return all.size;
    },
    add(listener) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    tell() {
      for (const listener of all) listener();
    },
  };
}
