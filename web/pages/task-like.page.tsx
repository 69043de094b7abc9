/** The list of what users thought of their tasks. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { titleOf, useLikeColumns } from '@/features/like/columns.tsx';
import { LikeFilters, NoLikes } from '@/features/like/filters.tsx';
import { soon } from '@/lib/late.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/task-like');

/** What a row opens. */
soon(() => import('./task-like.entry.page.tsx'));

export function TaskLikePage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page } = route.useLoaderData();
  const columns = useLikeColumns();
  return (
    <>
      <PageHeader title={t('like.title')} help={t('like.help')} />
      <LikeFilters />
      <DataTable
        name="like"
        label={t('like.title')}
        columns={columns}
        page={page}
        rowId={(like) => String(like.id)}
        rowName={titleOf}
        summary={t('like.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoLikes />}
        onRefresh={() => void refresh()}
      />
      <Outlet />
    </>
  );
}
