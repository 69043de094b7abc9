/** One write at a time, with its progress and its failure. */
import { useCallback, useRef, useState } from 'react';

export interface Action<A extends unknown[]> {
  /** Starts the work unless it is under way already: a double click sends one request. True when it went well. */
  run(...args: A): Promise<boolean>;
  pending: boolean;
  /** Why the last run failed; null after one that went well. */
  error: unknown;
  clear(): void;
}

export function useAction<A extends unknown[]>(work: (...args: A) => Promise<void>): Action<A> {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const underWay = useRef(false);
  const latest = useRef(work);
  latest.current = work;

  const run = useCallback(async (...args: A): Promise<boolean> => {
    if (underWay.current) return false;
    underWay.current = true;
    setPending(true);
    setError(null);
    try {
      await latest.current(...args);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      underWay.current = false;
      setPending(false);
    }
  }, []);

  return { run, pending, error, clear: useCallback(() => setError(null), []) };
}
