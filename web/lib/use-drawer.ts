/** A drawer is a route over its list: opening it is a step forward in the history, closing it a step back. */
import { useMatch, useRouter } from '@tanstack/react-router';
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

/** Closes the drawer of the present route: back to where it was opened, or to the page below when it was opened by its address. */
export function useCloseDrawer(): () => void {
  const router = useRouter();
  const { drawer: below } = useMatch({ strict: false }).staticData;
  return useCallback(() => {
    if (router.history.location.state.overList) router.history.back();
    else void router.navigate({ to: below ?? '/', search: true, replace: true, resetScroll: false });
  }, [router, below]);
}
