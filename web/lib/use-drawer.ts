/** A drawer is a route over its list: opening it is a step forward in the history, closing it a step back. */
import { useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useTranslation } from './use-translation.ts';

/** The head of a drawer as far as it differs from row to row. */
interface DrawerHead {
  title?: string;
  sub?: string;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set by a link that opens a drawer over the very page it stands on. */
    overList?: true;
    /** What the row that opened a drawer knows of its head. */
    head?: DrawerHead;
  }
}

/** Spread into a link or a navigation that opens a drawer: filters and place of the list stay. */
export const openDrawer = {
  search: true,
  resetScroll: false,
  state: { overList: true },
} as const;

/** The same for what a row opens: what it knows stands in the drawer's head before the drawer is there. */
export const openWith = (head: DrawerHead) =>
  ({ ...openDrawer, state: { ...openDrawer.state, head } }) as const;

/** What the drawer of the present route is called, whether it is there or not. */
export function useDrawerTitle(): string {
  const { t } = useTranslation();
  const { staticData, params } = useMatch({ strict: false });
  return staticData.title ? t(staticData.title, params) : '';
}

/** Classes of the drawer of the present route, where it is wider than others. */
export const useDrawerLook = (): string | undefined => useMatch({ strict: false }).staticData.look;

/** Closes the drawer of the present route: back to where it was opened, or to the page below when it was opened by its address. */
export function useCloseDrawer(): () => void {
  const router = useRouter();
  const { drawer: below, field } = useMatch({ strict: false }).staticData;
  return useCallback(() => {
    if (router.history.location.state.overList) router.history.back();
    else {
      const search = (all: object) => (field ? { ...all, [field]: undefined } : all);
      void router.navigate({ to: below ?? '/', search, replace: true, resetScroll: false });
    }
  }, [router, below, field]);
}
