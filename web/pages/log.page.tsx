import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { DataTable } from '../components/data-table/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Money } from '../components/money.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Notice } from '../components/ui/notice.tsx';
import { Bill } from '../features/log/bill.tsx';
import { logColumns } from '../features/log/columns.tsx';
import { LogFilters } from '../features/log/filters.tsx';
import { CONSUMPTION, type LogRow, readFacts } from '../features/log/log-row.ts';
import { RequestFacts } from '../features/log/request-facts.tsx';
import type { LogSums } from './log.tsx';

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

type Unrecorded = 'nothing' | 'minute' | 'all';

/**
 * Which figures nobody knows while calls are charged without a row: those of the last minute, and with a filter that the
 * hourly figures cannot follow all of them. Other types of rows are written as ever.
 */
function unrecorded({ type, token, detail, id }: Record<string, unknown>): Unrecorded {
  if (type !== undefined && type !== String(CONSUMPTION)) return 'nothing';
  return token === undefined && detail === undefined && id === undefined ? 'minute' : 'all';
}

interface FiguresProps {
  sums: LogSums;
  isGain: boolean;
  unrecorded: Unrecorded;
}

/** The sums of what the filters have, in one strip. */
function Figures({ sums, isGain, unrecorded }: FiguresProps) {
  const { t } = useTranslation();
  const isKnown = unrecorded !== 'all';
  const isMinuteKnown = unrecorded === 'nothing';
  return (
    <dl className="mb-3 grid grid-cols-4 divide-x divide-line rounded-md border border-line bg-surface max-md:grid-cols-2 max-md:divide-x-0">
      <Figure label={t(isGain ? 'log.gained' : 'log.spent')} note={t('log.spentNote')} isKnown={isKnown}>
        <Money quota={sums.quota} />
      </Figure>
      <Figure label={t('log.tokens')} note={t('log.tokensNote')} isKnown={isKnown}>
        {formatNumber(sums.token)}
      </Figure>
      <Figure label="RPM" note={t('log.rpmNote')} isKnown={isMinuteKnown}>
        {formatNumber(sums.rpm)}
      </Figure>
      <Figure label="TPM" note={t('log.tpmNote')} isKnown={isMinuteKnown}>
        {formatNumber(sums.tpm)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  label: string;
  note: string;
  isKnown: boolean;
  children: ReactNode;
}

/** A dash for what is not recorded: a zero would be a number. */
function Figure({ label, note, isKnown, children }: FigureProps) {
  const { t } = useTranslation();
  return (
    <div className="px-4 py-2.5 max-md:py-2">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-2xl leading-8 font-semibold tabular-nums max-md:text-xl">
        {isKnown ? children : <span className="text-muted">—</span>}
      </dd>
      <dd className="text-xs text-muted">{isKnown ? note : t('log.notRecorded')}</dd>
    </div>
  );
}

function LogDetail({ row }: { row: LogRow }) {
  const facts = readFacts(row);
  return (
    <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,3fr)] gap-8 py-3 max-md:grid-cols-1 max-md:gap-4">
      {row.type === CONSUMPTION ? <Bill row={row} facts={facts} /> : <div />}
      <RequestFacts row={row} facts={facts} />
    </div>
  );
}
