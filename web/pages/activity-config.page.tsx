/** The list of activities. */
import { formatNumber } from '@core/money.ts';
import { ACTIVITY_STATES, type ActivityAction } from '@modules/activity/facts.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { BulkAction } from '@/components/bulk-action.tsx';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { activityStates } from '@/features/activity/activity.ts';
import { useActivityColumns } from '@/features/activity/activity-columns.tsx';
import { soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/activity-config');

/** What a row opens. */
soon(() => import('./activity-config.edit.page.tsx'));

const nameOf = ({ name }: { name: string }): string => name;

export function ActivityConfigPage() {
  const { t } = useTranslation();
  const { page, query } = route.useLoaderData();
  const { state } = route.useSearch();
  const api = useApi();
  const refresh = useRefresh();
  const change = (action: ActivityAction) => (ids: number[]) =>
    api.send('POST', '/api/activity/batch', { body: { ids, action } });
  const columns = useActivityColumns();
  return (
    <>
      <PageHeader title={t('nav.activityConfig')} help={t('activity.configHelp')} primary={<AddLink />} />
      <FilterBar count={state ? 1 : 0} search={<SearchFilter name="q" label={t('activity.search')} />}>
        <SelectFilter
          name="state"
          value={state}
          all={t('activity.allStates')}
          options={ACTIVITY_STATES.map((value) => ({ value, label: t(activityStates[value].label) }))}
        />
      </FilterBar>
      <DataTable
        name="activity"
        label={t('activity.list')}
        columns={columns}
        page={page}
        rowId={(activity) => String(activity.id)}
        rowName={nameOf}
        summary={t('activity.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoActivities />}
        bulk={(rows, clear, isBeyond) => (
          <>
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('activity.end')}
              danger
              work={change('end')}
            />
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('activity.resume')}
              work={change('resume')}
            />
          </>
        )}
        matching={(paging) => api.get('/api/activity', { query: { ...query, ...paging } })}
        onRefresh={() => void refresh()}
      />
      <Outlet />
    </>
  );
}

function AddLink() {
  const { t } = useTranslation();
  return (
    <Link to="/activity-config/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('activity.newTitle')}
    </Link>
  );
}

/** None at all is another matter than none that matches. */
function NoActivities() {
  const { t } = useTranslation();
  const { q, state } = route.useSearch();
  if (!q && !state) {
    return (
      <EmptyState title={t('activity.emptyTitle')} action={<AddLink />}>
        {t('activity.emptyBody')}
      </EmptyState>
    );
  }
  return (
    <NoMatch title={t('activity.noMatchTitle')} filters={['q', 'state']}>
      {t('activity.noMatchBody')}
    </NoMatch>
  );
}
