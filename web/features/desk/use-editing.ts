/** Which entry of a tab is being edited stands in the address, as `edit`: its id, or `new`. */
import { useCallback } from 'react';
import { useSearchText, useSetSearch } from '@/components/data-table/search-links.ts';

export const NEW = 'new';

interface Editing {
  edit: string | undefined;
  open: (edit: string) => void;
  /** Takes the drawer's step out of the history: going back from the list leads to where one came from. */
  close: () => void;
}

export function useEditing(): Editing {
  const setSearch = useSetSearch();
  const { edit } = useSearchText();
  const open = useCallback((id: string) => setSearch({ edit: id }), [setSearch]);
  const close = useCallback(() => setSearch({ edit: undefined }, { replace: true }), [setSearch]);
  return { edit, open, close };
}
