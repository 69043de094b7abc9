/** A drawer is a route over its list: opening it is a step forward in the history, closing it a step back. */
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set by a link that opens a drawer over the very page it stands on. */
    overList?: true;
  }
}

/** Spread into a link or a navigation that opens a drawer: filters and place of the list stay. */
export const openDrawer = {
  search: true,
  resetScroll: false,
  state: { overList: true },
} as const;

/** Closes the drawer of the present route: back to the list it was opened from, or to its list when it was opened by its address. */
export function useCloseDrawer(listPath: string): () => void {
  const router = useRouter();
  return useCallback(() => {
    if (router.history.location.state.overList) router.history.back();
    else void router.navigate({ to: listPath, search: true, replace: true, resetScroll: false });
  }, [router, listPath]);
}
