import { formatNumber } from '@core/money.ts';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Select } from '@/components/ui/select.tsx';
import { cn } from '@/lib/cn.ts';
import { PAGE_SIZES } from '@/lib/preferences.ts';
import { keep } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useSetSearch } from './search-links.ts';

const NEIGHBOURS = 2;

/** First, last, and the neighbours of the present page; null is a gap. */
export function pageNumbers(page: number, last: number): (number | null)[] {
  const wanted = new Set([1, last]);
  for (let n = page - NEIGHBOURS; n <= page + NEIGHBOURS; n++) if (n >= 1 && n <= last) wanted.add(n);
  const sorted = [...wanted].sort((a, b) => a - b);
  return sorted.flatMap((n, i) => (i > 0 && n - (sorted[i - 1] ?? n) > 1 ? [null, n] : [n]));
}

interface PaginationProps {
  /** From 1. */
  page: number;
  size: number;
  total: number;
  className?: string;
  /** At the end of the line. */
  children?: ReactNode;
}

/** Where in the list the viewer is, and the way to its other pages: real links, so that they open in new tabs. */
export function Pagination({ page, size, total, className, children }: PaginationProps) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const last = Math.max(1, Math.ceil(total / size));
  const range = {
    from: formatNumber(Math.min((page - 1) * size + 1, total)),
    to: formatNumber(Math.min(page * size, total)),
    total: formatNumber(total),
  };
  return (
    <nav
      aria-label={t('table.pages')}
      className={cn(
        'flex min-h-12 items-center gap-3 border-t border-line py-2 pr-3 pl-4 text-sm text-muted max-md:flex-wrap max-md:border-0 max-md:px-0 max-md:py-1',
        className,
      )}
    >
      <span>{t('table.range', range)}</span>
      <label className="ml-auto flex items-center gap-2">
        {t('table.perPage')}
        <Select
          className="w-[68px] max-md:w-20"
          value={size}
          onChange={(event) => {
            const next = Number(event.target.value);
            keep.pageSize(next);
            setSearch({ size: next, p: undefined });
          }}
        >
          {PAGE_SIZES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
      </label>
      <div className="flex items-center gap-1 max-md:w-full max-md:flex-wrap max-md:justify-end">
        <PageLink to={page - 1} disabled={page <= 1} label={t('table.previous')} rel="prev">
          <ChevronLeft aria-hidden="true" />
        </PageLink>
        {pageNumbers(page, last).map((n, i) =>
          n === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: gaps have no other name
            <span key={`gap-${i}`} aria-hidden="true" className="px-1">
              …
            </span>
          ) : (
            <PageLink
              key={n}
              to={n}
              current={n === page}
              label={t('table.page', { n })}
              far={Math.abs(n - page) > 1}
            >
              {n}
            </PageLink>
          ),
        )}
        <PageLink to={page + 1} disabled={page >= last} label={t('table.next')} rel="next">
          <ChevronRight aria-hidden="true" />
        </PageLink>
        {children}
      </div>
    </nav>
  );
}

interface PageLinkProps {
  to: number;
  label: string;
  current?: boolean;
  disabled?: boolean;
  /** Left out on the phone. */
  far?: boolean;
  rel?: 'prev' | 'next';
  children: ReactNode;
}

function PageLink({ to, label, current, disabled, far, rel, children }: PageLinkProps) {
  const className = cn(
    buttonVariants(),
    'min-w-8 px-2 font-normal tabular-nums max-md:min-w-11',
    current && 'border-accent font-semibold text-accent-text',
    far && 'max-md:hidden',
  );
  if (disabled) {
    return (
      <span aria-disabled="true" className={className}>
        {children}
        <span className="sr-only">{label}</span>
      </span>
    );
  }
  return (
    <SearchLink
      change={{ p: to === 1 ? undefined : to }}
      rel={rel}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
      className={className}
    >
      {children}
    </SearchLink>
  );
}
