/** The ways to the older and the newer lines: real links, so that they open in new tabs. */
import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { newerThan, olderThan } from './place.ts';

export function Places({ newer, older }: { newer: string | null; older: string | null }) {
  const { t } = useTranslation();
  if (!newer && !older) return null;
  return (
    <nav
      aria-label={t('table.pages')}
      className="flex min-h-12 items-center justify-end gap-1 border-t border-line px-3 py-2 text-sm max-md:border-0 max-md:px-0 max-md:py-1"
    >
      {newer && (
        <Place to={undefined}>
          <ChevronsLeft aria-hidden="true" />
          {t('statement.newest')}
        </Place>
      )}
      {newer && (
        <Place to={newerThan(newer)}>
          <ChevronLeft aria-hidden="true" />
          {t('statement.newer')}
        </Place>
      )}
      {older && (
        <Place to={olderThan(older)}>
          {t('statement.older')}
          <ChevronRight aria-hidden="true" />
        </Place>
      )}
    </nav>
  );
}

const Place = ({ to, children }: { to: string | undefined; children: ReactNode }) => (
  <SearchLink change={{ p: to }} className={buttonVariants()}>
    {children}
  </SearchLink>
);
