import { formatNumber } from '@core/money.ts';
import { formatDateTime } from '@core/time-text.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { Figures, unrecorded } from '@/features/log/figures.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { DataTable } from '../components/data-table/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Money } from '../components/money.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Notice } from '../components/ui/notice.tsx';
import { Bill } from '../features/log/bill.tsx';
import { logColumns } from '../features/log/columns.tsx';
import { ExportButton } from '../features/log/export-button.tsx';
import { LogFilters } from '../features/log/filters.tsx';
import { LiveButton } from '../features/log/live.tsx';
import { type Account, countNewer } from '../features/log/load.ts';
import { CONSUMPTION, type LogRow, readFacts } from '../features/log/log-row.ts';
import { LookedNote, NoneLooked } from '../features/log/looked.tsx';
import type { Range } from '../features/log/range.ts';
import { RequestFacts } from '../features/log/request-facts.tsx';

export { loadLog } from '../features/log/load.ts';

const route = getRouteApi('/_console/log');

/** Fetched when a row is opened by itself. */
const LogDrawer = late<{ row: LogRow | null }>(() =>
  import('../features/log/drawer.tsx').then((module) => module.LogDrawer),
);

const dayOf = (seconds: number, timeZone: string): string => formatDateTime(seconds, timeZone).slice(0, 10);

/** `usage-2026-05-01_2026-05-31`, as far as the time has ends. */
const fileName = ({ from, to }: Range, timeZone: string): string =>
  ['usage', [from, to].flatMap((end) => (end === undefined ? [] : [dayOf(end, timeZone)])).join('_')]
    .filter(Boolean)
    .join('-');

export function LogPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page, sums, seesAll, range, filter, row, account } = route.useLoaderData();
  const search = route.useSearch();
  const api = useApi();
  const newest = page.items.reduce((last, { created_at }) => Math.max(last, created_at), 0);
  const asked = JSON.stringify({ ...search, id: undefined });
  /** What is newer came since the last refresh, of what is asked for now. */
  const [shown, setShown] = useState<{ asked: string; to: number } | null>(null);
  const tick = useCallback(() => {
    setShown({ asked, to: newest });
    void refresh();
  }, [refresh, asked, newest]);
  const count = useCallback(
    () => countNewer(api, { seesAll, filter, newest }),
    [api, seesAll, filter, newest],
  );
  const { timeZone } = useTimeRules();
  const columns = useMemo(() => logColumns(t, seesAll), [t, seesAll]);
  const { p: _page, size: _size, range: _range, unreadable: _unreadable, id: _id, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);

  return (
    <>
      <PageHeader
        title={t('log.title')}
        help={t('log.help')}
        actions={
          <>
            <LiveButton disabled={(search.p ?? 1) !== 1} onTick={tick} count={count} />
            <ExportButton query={filter} name={fileName(range, timeZone)} />
          </>
        }
      />
      {!page.consumption_is_logged && (
        <Notice tone="mind" className="mb-3">
          {t('log.isOff')}
        </Notice>
      )}
      <Figures
        sums={sums}
        isGain={search.type === '1' || search.type === '5'}
        unrecorded={page.consumption_is_logged ? 'nothing' : unrecorded(search, sums)}
      />
      {account && <AccountLine account={account} />}
      <LogFilters seesAll={seesAll} range={range} />
      {page.looked && page.items.length > 0 && <LookedNote looked={page.looked} range={range} />}
      <DataTable
        name="log"
        label={t('log.title')}
        columns={columns}
        page={page}
        rowId={(row) => String(row.id)}
        rowName={(row) => row.model_name}
        summary={<Summary page={page} />}
        isNew={(row) => shown?.asked === asked && row.created_at > shown.to}
        empty={
          page.looked ? (
            <NoneLooked looked={page.looked} range={range} />
          ) : isFiltered ? (
            <EmptyState title={t('log.noMatch')}>{t('log.noMatchHelp')}</EmptyState>
          ) : (
            <EmptyState title={t('log.empty')}>{t('log.emptyHelp')}</EmptyState>
          )
        }
        detail={(row) => <LogDetail row={row} />}
        onRefresh={tick}
      />
      {row !== undefined && <LogDrawer row={row} />}
    </>
  );
}

/** How many rows there are, and what those of this page come to. */
function Summary({
  page: { total, items, looked },
}: {
  page: { total: number; items: readonly LogRow[]; looked: object | null };
}) {
  const { t } = useTranslation();
  const sum = (of: (row: LogRow) => number) => items.reduce((all, row) => all + of(row), 0);
  const spent = items.filter(({ type }) => type === CONSUMPTION).reduce((all, { quota }) => all + quota, 0);
  return (
    <>
      {t(looked ? 'log.summaryLooked' : 'log.summary', { count: total, total: formatNumber(total) })}
      {items.length > 0 && (
        <span className="ml-3 text-xs max-md:ml-2">
          {t('log.thisPage')} <Money quota={spent} className="text-text" />
          {' · '}
          <span className="tabular-nums">
            {formatNumber(sum((row) => row.prompt_tokens))} →{' '}
            {formatNumber(sum((row) => row.completion_tokens))}
          </span>
        </span>
      )}
    </>
  );
}

/** Whose rows an administrator looks at. */
function AccountLine({ account }: { account: Account }) {
  const { t } = useTranslation();
  return (
    <p className="mb-3 flex flex-wrap gap-x-5 gap-y-1 rounded-md border border-line bg-surface px-4 py-2 text-sm">
      <Link to="/user/edit/$id" params={{ id: String(account.id) }} className="link font-semibold">
        {account.username}
      </Link>
      <span>
        <span className="text-muted">{t('log.account.left')}</span> <Money quota={account.quota} />
      </span>
      <span>
        <span className="text-muted">{t('log.account.used')}</span> <Money quota={account.used_quota} />
      </span>
      <span>
        <span className="text-muted">{t('log.account.requests')}</span>{' '}
        <span className="tabular-nums">{formatNumber(account.request_count)}</span>
      </span>
    </p>
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
