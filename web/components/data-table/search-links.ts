/** Lists keep their state in the address: this changes some of its fields and leaves the others as they are. */
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { rawSearch, stringifySearch, type Unreadable } from '@/lib/search.ts';

/** Undefined takes a field out. */
export type SearchChange = Record<string, string | number | undefined>;

export type SetSearch = (change: SearchChange, options?: { replace?: boolean }) => void;

export function useSetSearch(): SetSearch {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return useCallback(
    (change, { replace = false } = {}) => {
      const href = pathname + stringifySearch({ ...rawSearch(search), ...change });
      void navigate({ href, replace, resetScroll: false });
    },
    [navigate, pathname, search],
  );
}

/** The present address's fields as plain text, for filters that are drawn from their names. */
export function useSearchText(): Record<string, string | undefined> {
  const { search } = useLocation();
  return Object.fromEntries(
    Object.entries(rawSearch(search)).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  );
}

const NOTHING: Unreadable = {};

/** Filters of the address that the page could not read; each control shows its own. */
export function useUnreadable(): Unreadable {
  const { unreadable }: { unreadable?: Unreadable } = useSearch({ strict: false });
  return unreadable ?? NOTHING;
}

/** The fields by which the list is filtered indeed: without those that the page could not read. */
export function useReadText(): Record<string, string | undefined> {
  const unreadable = useUnreadable();
  const search = useSearchText();
  return Object.fromEntries(Object.entries(search).filter(([name]) => !Object.hasOwn(unreadable, name)));
}
