/** The configurations of all users. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import type { Page } from '@/lib/list-search.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { DeskFrame } from '../desk/desk-frame.tsx';
import { configName, useConfigColumns } from './config-columns.tsx';
import { noPlace, type UserConfig } from './supplier.ts';

const route = getRouteApi('/_console/aipy-conf/suppliers');

export function ConfigList({ page }: { page: Page<UserConfig> }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const columns = useConfigColumns();
  const { q } = route.useSearch();
  return (
    <DeskFrame
      actions={
        <SearchLink change={{ ...noPlace, view: undefined, q: undefined }} className={buttonVariants()}>
          {t('supplier.viewSuppliers')}
        </SearchLink>
      }
    >
      <FilterBar count={0} search={<SearchFilter name="q" label={t('supplier.searchConfigs')} />} />
      <DataTable
        name="supplier-config"
        label={t('supplier.configs')}
        columns={columns}
        page={page}
        rowId={({ id }) => String(id)}
        rowName={configName}
        summary={t('supplier.configCount', { count: page.total, n: formatNumber(page.total) })}
        empty={
          q ? (
            <NoMatch title={t('supplier.noConfigMatches')} filters={['q']}>
              {t('supplier.noConfigMatchesBody')}
            </NoMatch>
          ) : (
            <EmptyState title={t('supplier.noConfigs')}>{t('supplier.noConfigsBody')}</EmptyState>
          )
        }
        onRefresh={() => void refresh()}
      />
    </DeskFrame>
  );
}
