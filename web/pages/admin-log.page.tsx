/** The list of what administrators changed. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { actionText } from '@/features/admin-log/action.ts';
import { useActionColumns } from '@/features/admin-log/columns.tsx';
import { ExportButton } from '@/features/admin-log/export-button.tsx';
import { ActionFilters, NoActions } from '@/features/admin-log/filters.tsx';
import { AuditCard } from '@/features/audit/audit-card.tsx';
import { soon } from '@/lib/late.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadActions } from '../features/admin-log/load.ts';

const route = getRouteApi('/_console/admin-log');

/** What a row opens. */
soon(() => import('./admin-log.entry.page.tsx'));

export function AdminLogPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page, query } = route.useLoaderData();
  const columns = useActionColumns();
  return (
    <>
      <PageHeader
        title={t('adminLog.title')}
        help={t('adminLog.help')}
        actions={<ExportButton query={query} />}
      />
      <AuditCard />
      <ActionFilters />
      <DataTable
        name="admin-log"
        label={t('adminLog.title')}
        columns={columns}
        page={page}
        rowId={(row) => String(row.id)}
        rowName={(row) => actionText(row.action, t)}
        summary={t('adminLog.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoActions />}
        onRefresh={() => void refresh()}
      />
      <Outlet />
    </>
  );
}
