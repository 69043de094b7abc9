/** The list of tasks. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { useTaskColumns } from '@/features/task/columns.tsx';
import { NoTasks, TaskFilters } from '@/features/task/filters.tsx';
import { actionText } from '@/features/task/task.ts';
import { soon } from '@/lib/late.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadTasks } from '../features/task/load.ts';

const route = getRouteApi('/_console/task');

/** What a row opens. */
soon(() => import('./task.entry.page.tsx'));

export function TaskPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page, seesAll } = route.useLoaderData();
  const columns = useTaskColumns(seesAll);
  return (
    <>
      <PageHeader title={t('task.title')} help={t('task.help')} />
      <TaskFilters />
      <DataTable
        name="task"
        label={t('task.title')}
        columns={columns}
        page={page}
        rowId={(task) => task.task_id}
        rowName={(task) => actionText(task.action, t)}
        summary={t('task.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoTasks />}
        onRefresh={() => void refresh()}
      />
      <Outlet />
    </>
  );
}
