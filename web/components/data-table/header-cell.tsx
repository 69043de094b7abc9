import { useSearch } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { SearchLink } from '@/components/search-link.tsx';
import { cn } from '@/lib/cn.ts';
import type { ShownColumn } from './column.ts';
import { type OnWidth, ResizeHandle } from './resize-handle.tsx';
import { widthStyle } from './width-style.ts';

/** The order after one more press of a header: down, up, then the list's own. */
function nextSort(present: string | undefined, key: string): string | undefined {
  if (present === `-${key}`) return key;
  return present === key ? undefined : `-${key}`;
}

interface HeaderCellProps {
  column: Omit<ShownColumn<never>, 'cell'>;
  /** It stays at the left edge. */
  pinned: boolean;
  onWidth: OnWidth;
}

/** A column's head. Where the server can order by it, it is a link to that order. */
export function HeaderCell({ column, pinned, onWidth }: HeaderCellProps) {
  const { id, header, align, card, sort, headless, className, width } = column;
  const search: { sort?: string } = useSearch({ strict: false });
  const attributes = {
    scope: 'col',
    'data-column': id,
    ...widthStyle(width),
    'data-align': align,
    'data-card': card,
    'data-pinned': pinned || undefined,
    // Words, whatever stands below them.
    className: cn(className, 'font-sans'),
  } as const;
  if (headless) {
    return (
      <th {...attributes}>
        <span className="sr-only">{header}</span>
      </th>
    );
  }
  if (!sort) {
    return (
      <th {...attributes}>
        {header}
        <ResizeHandle onWidth={onWidth} />
      </th>
    );
  }
  const direction =
    search.sort === sort ? 'ascending' : search.sort === `-${sort}` ? 'descending' : undefined;
  const Icon = direction === 'ascending' ? ArrowUp : direction === 'descending' ? ArrowDown : ChevronsUpDown;
  return (
    <th {...attributes} aria-sort={direction ?? 'none'}>
      <SearchLink
        change={{ p: undefined, sort: nextSort(search.sort, sort) }}
        className="inline-flex min-h-6 items-center text-inherit no-underline hover:text-text"
      >
        {header}
        {/* It stands in the cell's padding: a head with an order is as wide as one without. */}
        <Icon
          className={cn('-mr-3 size-3 shrink-0', direction ? 'text-accent' : 'text-faint')}
          aria-hidden="true"
        />
      </SearchLink>
      <ResizeHandle onWidth={onWidth} />
    </th>
  );
}
