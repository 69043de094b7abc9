/** Lists keep their state in the address: this changes some of its fields and leaves the others as they are. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { stringifySearch } from '@/lib/search.ts';

/** Undefined takes a field out. */
export type SearchChange = Record<string, string | number | undefined>;

export type SetSearch = (change: SearchChange, options?: { replace?: boolean }) => void;

export function useSetSearch(): SetSearch {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return useCallback(
    (change, { replace = false } = {}) => {
      const href = pathname + stringifySearch({ ...search, ...change });
      void navigate({ href, replace, resetScroll: false });
    },
    [navigate, pathname, search],
  );
}

/** The present address's fields as plain text, for filters that are drawn from their names. */
export function useSearchText(): Record<string, string | undefined> {
  const { search } = useLocation();
  return Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );
}
