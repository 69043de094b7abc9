import { type HistoryState, useLocation, useNavigate } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import { rawSearch, stringifySearch } from '@/lib/search.ts';
import type { SearchChange } from './data-table/search-links.ts';

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

type SearchLinkProps = { change: SearchChange; state?: HistoryState } & Omit<ComponentProps<'a'>, 'href'>;

/** The present page with some of its search changed; a real link, so that it can be opened in a new tab. */
export function SearchLink({ change, state, ...props }: SearchLinkProps) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const href = pathname + stringifySearch({ ...rawSearch(search), ...change });
  return (
    <a
      {...props}
      href={href}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        void navigate({ href, resetScroll: false, state });
      }}
    />
  );
}
