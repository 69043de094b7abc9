/** The pages of a list that is here as a whole, as the pages of every other list look. */
import { formatNumber } from '@core/money.ts';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { pageNumbers } from '@/components/data-table/pagination.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Select } from '@/components/ui/select.tsx';
import { cn } from '@/lib/cn.ts';
import { PAGE_SIZES } from '@/lib/preferences.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface PagerProps {
  /** From 0. */
  page: number;
  size: number;
  total: number;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
}

export function Pager({ page, size, total, onPage, onSize }: PagerProps) {
  const { t } = useTranslation();
  const last = Math.max(0, Math.ceil(total / size) - 1);
  const range = {
    from: formatNumber(Math.min(page * size + 1, total)),
    to: formatNumber(Math.min((page + 1) * size, total)),
    total: formatNumber(total),
  };
  return (
    <nav
      aria-label={t('table.pages')}
      className="flex min-h-12 flex-wrap items-center gap-3 py-2 pr-3 pl-4 text-sm text-muted"
    >
      <span>{t('table.range', range)}</span>
      <div className="ml-auto flex items-center gap-1">
        <label className="flex items-center gap-1 max-md:hidden">
          {t('table.perPage')}
          <Select
            className="mr-1 w-[68px]"
            value={size}
            onChange={(event) => onSize(Number(event.target.value))}
          >
            {PAGE_SIZES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </Select>
        </label>
        <Button
          className="min-w-8 px-2 max-md:min-w-11"
          aria-label={t('table.previous')}
          disabled={page <= 0}
          onClick={() => onPage(page - 1)}
        >
          <ChevronLeft aria-hidden="true" />
        </Button>
        {pageNumbers(page + 1, last + 1).map((n, i) =>
          n === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: gaps have no other name
            <span key={`gap-${i}`} aria-hidden="true" className="px-1">
              …
            </span>
          ) : (
            <Button
              key={n}
              aria-label={t('table.page', { n })}
              aria-current={n === page + 1 ? 'page' : undefined}
              className={cn(
                'min-w-8 px-2 font-normal tabular-nums max-md:min-w-11',
                n === page + 1 && 'border-accent font-semibold text-accent-text',
                Math.abs(n - page - 1) > 1 && 'max-md:hidden',
              )}
              onClick={() => onPage(n - 1)}
            >
              {n}
            </Button>
          ),
        )}
        <Button
          className="min-w-8 px-2 max-md:min-w-11"
          aria-label={t('table.next')}
          disabled={page >= last}
          onClick={() => onPage(page + 1)}
        >
          <ChevronRight aria-hidden="true" />
        </Button>
      </div>
    </nav>
  );
}
