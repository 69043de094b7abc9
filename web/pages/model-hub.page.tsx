import { formatNumber } from '@core/money.ts';
import { can } from '@core/roles.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { PageFrame } from '@/components/shell/page-frame.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useHubColumns } from '@/features/hub/columns.tsx';
import { HubDetail } from '@/features/hub/detail.tsx';
import { GroupSwitch, HubFilters } from '@/features/hub/filters.tsx';
import { shownGroup } from '@/features/hub/price-item.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/model-hub');

export function ModelHubPage() {
  const { t } = useTranslation();
  const { user } = useBoot();
  const refresh = useRefresh();
  const page = route.useLoaderData();
  const search = route.useSearch();
  const [group, ratio] = shownGroup(page, search.group);
  const columns = useHubColumns({ ratio });
  const { q, billing, tag, vendor } = search;
  const isFiltered = [q, billing, tag, vendor].some((value) => value !== undefined);
  return (
    <PageFrame>
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
            <EmptyState
              title={t('hub.noMatch')}
              action={
                <SearchLink
                  className={buttonVariants()}
                  change={{
                    q: undefined,
                    billing: undefined,
                    tag: undefined,
                    vendor: undefined,
                    p: undefined,
                  }}
                >
                  {t('hub.clearFilters')}
                </SearchLink>
              }
            >
              {t('hub.noMatchHelp')}
            </EmptyState>
          ) : (
            <EmptyState title={t('hub.empty')}>{t('hub.emptyHelp')}</EmptyState>
          )
        }
        opened={search.open === undefined ? [] : [search.open]}
        detail={(row) => <HubDetail item={row} facts={page} group={group} ratio={ratio} />}
        onRefresh={() => void refresh()}
      />
    </PageFrame>
  );
}

function HubAction() {
  const { t } = useTranslation();
  const { user } = useBoot();
  if (!user) {
    return (
      <a href="/login?next=%2Fmodel-hub" className={buttonVariants()}>
        {t('hub.signIn')}
      </a>
    );
  }
  if (!can(user.role, 'canManageOptions')) return null;
  return (
    <a href="/setting?tab=visual" className={buttonVariants()}>
      <Pencil aria-hidden="true" />
      {t('hub.editPrices')}
    </a>
  );
}
