/** The ways to the older and the newer lines: real links, so that they open in new tabs. */
import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { newerThan, olderThan } from './place.ts';

interface PlacesProps {
  newer: string | null;
  older: string | null;
  /** The order: which of the two lies ahead. */
  oldestFirst: boolean;
}

export function Places({ newer, older, oldestFirst }: PlacesProps) {
  const { t } = useTranslation();
  const toNewer = newer && { to: newerThan(newer), text: t('statement.newer') };
  const toOlder = older && { to: olderThan(older), text: t('statement.older') };
  const [back, on] = oldestFirst ? [toOlder, toNewer] : [toNewer, toOlder];
  if (!back && !on) return null;
  return (
    <nav
      aria-label={t('table.pages')}
      className="flex min-h-12 items-center justify-end gap-1 border-t border-line px-3 py-2 text-sm max-md:border-0 max-md:px-0 max-md:py-1"
    >
      {back && (
        <>
          <Place to={undefined}>
            <ChevronsLeft aria-hidden="true" />
            {t(oldestFirst ? 'statement.oldest' : 'statement.newest')}
          </Place>
          <Place to={back.to}>
            <ChevronLeft aria-hidden="true" />
            {back.text}
          </Place>
        </>
      )}
      {on && (
        <Place to={on.to}>
          {on.text}
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
