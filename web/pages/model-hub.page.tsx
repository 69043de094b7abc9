import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { useHubColumns } from '@/features/hub/columns.tsx';
import { HubDetail } from '@/features/hub/detail.tsx';
import { GroupSwitch, HubFilters } from '@/features/hub/filters.tsx';
import { HubAction } from '@/features/hub/hub-action.tsx';
import { shownGroup } from '@/features/hub/price-item.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/model-hub');

const FILTERS = ['q', 'billing', 'tag', 'vendor'] as const;

export function ModelHubPage() {
  const { t } = useTranslation();
  const { user } = useBoot();
  const refresh = useRefresh();
  const page = route.useLoaderData();
  const search = route.useSearch();
  const [group, ratio] = shownGroup(page, search.group);
  const columns = useHubColumns({ ratio, usable: page.usable_group });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <>
      <PageHeader
        title={t('hub.title')}
        help={t(user ? 'hub.help' : 'hub.helpGuest', { group })}
        actions={<HubAction />}
      />
      <HubFilters search={search} facts={page} />
      <GroupSwitch facts={page} group={group} />
      <DataTable
        name="model-hub"
        label={t('hub.title')}
        columns={columns}
        page={page}
        rowId={(row) => row.model_name}
        rowName={(row) => row.model_name}
        summary={t('hub.summary', { count: page.total, total: formatNumber(page.total) })}
        empty={
          isFiltered ? (
            <NoMatch title={t('hub.noMatch')} filters={FILTERS} clear={t('hub.clearFilters')}>
              {t('hub.noMatchHelp')}
            </NoMatch>
          ) : (
            <EmptyState title={t('hub.empty')}>{t('hub.emptyHelp')}</EmptyState>
          )
        }
        opened={search.open === undefined ? [] : [search.open]}
        detail={(row) => <HubDetail item={row} facts={page} group={group} ratio={ratio} />}
        onRefresh={() => void refresh()}
      />
    </>
  );
}
