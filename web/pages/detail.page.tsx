/** The dashboard: figures, a chart, and the same as a table. All but the chart is there before any script runs. */
import { formatDateTime } from '@core/time-text.ts';
import { inOrder } from '@core/usage-order.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { ChartPanel } from '@/features/usage/chart-panel.tsx';
import { useUsageColumns } from '@/features/usage/columns.tsx';
import { ExportButton } from '@/features/usage/export-button.tsx';
import { Figures } from '@/features/usage/figures.tsx';
import { UsageFilters } from '@/features/usage/filters.tsx';
import { nameOf } from '@/features/usage/series.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadUsage } from '../features/usage/load.ts';

const route = getRouteApi('/_console/detail');

export function DetailPage() {
  const { t } = useTranslation();
  const { usage, seesAll } = route.useLoaderData();
  const { user, sort } = route.useSearch();
  const { series, others, dimension, from, to, before, time_zone } = usage;
  const whose = seesAll ? user : undefined;
  const columns = useUsageColumns(usage, whose);
  const refresh = useRefresh();
  useRefreshing(usage.refresh_sec, refresh);
  const day = (seconds: number) => formatDateTime(seconds, time_zone).slice(0, 16);
  const count = series.length + (others?.count ?? 0);
  return (
    <>
      <PageHeader
        title={t('usage.title')}
        help={t(before ? 'usage.helpCompared' : 'usage.help', { from: day(from), to: day(to) })}
        actions={<ExportButton usage={usage} seesAll={seesAll} user={whose} sort={sort} />}
      />
      <UsageFilters />
      <Figures usage={usage} />
      <ChartPanel usage={usage} seesAll={seesAll} user={whose} />
      <DataTable
        name="usage"
        label={t('usage.table')}
        columns={columns}
        page={{
          items: inOrder(series, sort),
          total: series.length,
          page: 1,
          size: Math.max(series.length, 1),
        }}
        rowId={(row) => row.key}
        rowName={(row) => nameOf(row, dimension, t)}
        summary={t(others ? 'usage.summaryOf' : 'usage.summary', { count, n: count, shown: series.length })}
        empty={
          <EmptyState
            title={t('usage.empty')}
            action={
              <SearchLink
                change={{ range: '90d', from: undefined, to: undefined }}
                className={buttonVariants()}
              >
                {t('log.range.90d')}
              </SearchLink>
            }
          >
            {t('usage.emptyHelp')}
          </EmptyState>
        }
        onRefresh={() => void refresh()}
      />
    </>
  );
}

/** Asks again from time to time, while somebody looks. */
function useRefreshing(seconds: number, refresh: () => Promise<void>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, seconds * 1_000);
    return () => clearInterval(timer);
  }, [seconds, refresh]);
}
