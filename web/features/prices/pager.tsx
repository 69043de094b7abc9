/** The pages of a list that is here as a whole. */
import { formatNumber } from '@core/money.ts';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

interface PagerProps {
  /** From 0. */
  page: number;
  last: number;
  total: number;
  onPage: (page: number) => void;
  /** Further controls. */
  children?: ReactNode;
}

export function Pager({ page, last, total, onPage, children }: PagerProps) {
  const { t } = useTranslation();
  return (
    <nav
      aria-label={t('table.pages')}
      className="flex min-h-11 flex-wrap items-center gap-3 px-4 py-1.5 text-sm text-muted"
    >
      <span>{t('prices.count', { count: total, total: formatNumber(total) })}</span>
      <span className="ml-auto flex items-center gap-2">
        {children}
        <Button
          size="icon"
          aria-label={t('table.previous')}
          disabled={page <= 0}
          onClick={() => onPage(page - 1)}
        >
          <ChevronLeft aria-hidden="true" />
        </Button>
        <span className="tabular-nums">
          {page + 1} / {last + 1}
        </span>
        <Button
          size="icon"
          aria-label={t('table.next')}
          disabled={page >= last}
          onClick={() => onPage(page + 1)}
        >
          <ChevronRight aria-hidden="true" />
        </Button>
      </span>
    </nav>
  );
}
