import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Figures, unrecorded } from '@/features/log/figures.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { DataTable } from '../components/data-table/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Notice } from '../components/ui/notice.tsx';
import { Bill } from '../features/log/bill.tsx';
import { logColumns } from '../features/log/columns.tsx';
import { LogFilters } from '../features/log/filters.tsx';
import { CONSUMPTION, type LogRow, readFacts } from '../features/log/log-row.ts';
import { RequestFacts } from '../features/log/request-facts.tsx';

const route = getRouteApi('/_console/log');

export function LogPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page, sums, seesAll, range } = route.useLoaderData();
  const search = route.useSearch();
  const columns = useMemo(() => logColumns(t, seesAll), [t, seesAll]);
  const { p: _page, size: _size, range: _range, unreadable: _unreadable, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);

  return (
    <>
      <PageHeader title={t('log.title')} help={t('log.help')} />
      {!page.consumption_is_logged && (
        <Notice tone="mind" className="mb-3">
          {t('log.isOff')}
        </Notice>
      )}
      <Figures
        sums={sums}
        isGain={search.type === '1' || search.type === '5'}
        unrecorded={page.consumption_is_logged ? 'nothing' : unrecorded(search)}
      />
      <LogFilters seesAll={seesAll} range={range} />
      <DataTable
        name="log"
        label={t('log.title')}
        columns={columns}
        page={page}
        rowId={(row) => String(row.id)}
        rowName={(row) => row.model_name}
        summary={t('log.summary', { count: page.total, total: formatNumber(page.total) })}
        empty={
          isFiltered ? (
            <EmptyState title={t('log.noMatch')}>{t('log.noMatchHelp')}</EmptyState>
          ) : (
            <EmptyState title={t('log.empty')}>{t('log.emptyHelp')}</EmptyState>
          )
        }
        detail={(row) => <LogDetail row={row} />}
        onRefresh={() => void refresh()}
      />
    </>
  );
}

function LogDetail({ row }: { row: LogRow }) {
  const facts = readFacts(row);
  if (row.type !== CONSUMPTION) {
    return (
      <div className="py-3">
        <RequestFacts row={row} facts={facts} />
      </div>
    );
  }
  return (
    <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,3fr)] gap-8 py-3 max-md:grid-cols-1 max-md:gap-4">
      <Bill row={row} facts={facts} />
      <RequestFacts row={row} facts={facts} />
    </div>
  );
}
