import type { ReactNode } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { EmptyState } from './empty-state.tsx';
import { SearchLink } from './search-link.tsx';
import { buttonVariants } from './ui/button.tsx';

interface NoMatchProps {
  title: string;
  /** The fields of the address that filter. */
  filters: readonly string[];
  /** What the way out is called, where it has words of its own. */
  clear?: string;
  children: ReactNode;
}

/** In the place of rows where the filters let none through: the way out takes the filters away. */
export function NoMatch({ title, filters, clear, children }: NoMatchProps) {
  const { t } = useTranslation();
  const none = Object.fromEntries([...filters, 'p'].map((name) => [name, undefined]));
  return (
    <EmptyState
      title={title}
      action={
        <SearchLink change={none} className={buttonVariants()}>
          {clear ?? t('table.clearFilters')}
        </SearchLink>
      }
    >
      {children}
    </EmptyState>
  );
}
