import { formatNumber } from '@core/money.ts';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Select } from '@/components/ui/select.tsx';
import { cn } from '@/lib/cn.ts';
import { PAGE_SIZES } from '@/lib/preferences.ts';
import { keep } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useSetSearch } from './search-links.ts';

/** First and last, two gaps, and the present page between its neighbours. */
const PLACES = 7;
/** Of these the phone has room for so many pages. */
const PHONE_PLACES = 3;

/**
 * Which pages a list offers; null is a gap. A long list has as many places on each of its pages, so that the way to the next
 * one stays under the finger.
 */
export function pageNumbers(page: number, last: number): (number | null)[] {
  if (last <= PLACES) return Array.from({ length: last }, (_, i) => i + 1);
  const from = Math.min(Math.max(page - 1, 3), last - 4);
  const before = from === 3 ? 2 : null;
  const behind = from === last - 4 ? last - 1 : null;
  return [1, before, from, from + 1, from + 2, behind, last];
}

/** The pages that the phone offers of these: as many on each page, too. */
export function isNear(n: number, page: number, last: number): boolean {
  const from = Math.max(1, Math.min(page - 1, last - PHONE_PLACES + 1));
  return n >= from && n < from + PHONE_PLACES;
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
      <div
        style={{ '--digits': String(last).length } as CSSProperties}
        className="flex items-center gap-1 max-md:w-full max-md:flex-wrap max-md:justify-end"
      >
        <PageLink to={page - 1} disabled={page <= 1} label={t('table.previous')} rel="prev">
          <ChevronLeft aria-hidden="true" />
        </PageLink>
        {pageNumbers(page, last).map((n, i) =>
          n === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: gaps have no other name
            <span key={`gap-${i}`} aria-hidden="true" className={cn(PLACE, 'text-center max-md:hidden')}>
              …
            </span>
          ) : (
            <PageLink
              key={n}
              to={n}
              current={n === page}
              label={t('table.page', { n })}
              far={!isNear(n, page, last)}
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

/** As wide as the greatest number needs, with any number in it. */
const PLACE =
  'min-w-[max(2rem,calc(var(--digits)*1ch+1.25rem))] px-2 tabular-nums max-md:min-w-[max(2.75rem,calc(var(--digits)*1ch+1.25rem))]';

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
    PLACE,
    'font-normal',
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
