/** The usage log: what was called, what it cost, and what an account did beside that. */
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { PendingDrawer } from '@/components/shell/pending-drawer.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { AccountLine } from '@/features/log/account-line.tsx';
import { logColumns } from '@/features/log/columns.tsx';
import { ExportButton } from '@/features/log/export-button.tsx';
import { Figures, unrecorded } from '@/features/log/figures.tsx';
import { LogFilters } from '@/features/log/filters.tsx';
import { LiveButton } from '@/features/log/live.tsx';
import { type LogRow, REFUSED } from '@/features/log/log-row.ts';
import { LookedNote } from '@/features/log/looked.tsx';
import { NoRows } from '@/features/log/no-rows.tsx';
import { Summary } from '@/features/log/summary.tsx';
import { useNewer } from '@/features/log/use-newer.ts';
import { late, soon } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadLog } from '../features/log/load.ts';
export { readRow } from '../features/log/read-row.ts';

const route = getRouteApi('/_console/log');
const rowRoute = getRouteApi('/_console/log/');

/** What a row opens: itself below it, or alone. */
const detail = () => import('../features/log/detail.tsx').then((module) => module.LogDetail);
const drawer = () => import('../features/log/drawer.tsx').then((module) => module.LogDrawer);
const LogDetail = late<{ row: LogRow }>(detail);
const LogDrawer = late<{ row: LogRow | null }>(drawer, undefined, WaitingRow);
for (const part of [detail, drawer]) soon(part);

export function LogPage() {
  const { t } = useTranslation();
  const { page, sums, seesAll, range, filter, account } = route.useLoaderData();
  const search = route.useSearch();
  const newer = useNewer();
  const columns = useMemo(() => logColumns(t, seesAll), [t, seesAll]);
  return (
    <>
      <PageHeader
        title={t('log.title')}
        help={t('log.help')}
        actions={
          <>
            <LiveButton disabled={(search.p ?? 1) !== 1} onTick={newer.look} count={newer.count} />
            <ExportButton query={filter} range={range} />
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
        isFailed={search.type === String(REFUSED) || search.code !== undefined}
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
        rowId={(one) => String(one.id)}
        rowName={(one) => one.model_name}
        summary={<Summary page={page} />}
        isNew={newer.isNew}
        empty={<NoRows />}
        detail={(one) => <LogDetail row={one} />}
        onRefresh={newer.look}
      />
      <Outlet />
    </>
  );
}

/** Over the list, where the address names one. */
export function OpenedRow() {
  const row = rowRoute.useLoaderData();
  return row !== undefined && <LogDrawer row={row} />;
}

/** Until the drawer's code is there. */
function WaitingRow() {
  return <PendingDrawer />;
}
