/** The line of filters over the list of tokens. */
import { getRouteApi } from '@tanstack/react-router';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { tokenStates } from './token.ts';

const route = getRouteApi('/_console/token');

export function TokenFilters() {
  const { t } = useTranslation();
  const { status, group } = route.useSearch();
  const { groups } = route.useLoaderData();
  return (
    <FilterBar
      count={[status, group].filter(Boolean).length}
      search={<SearchFilter name="q" label={t('token.search')} />}
    >
      <SelectFilter
        name="status"
        value={status}
        all={t('token.allStatuses')}
        options={tokenStates.map((state) => ({ value: String(state.status), label: t(state.label) }))}
      />
      <SelectFilter
        name="group"
        value={group}
        all={t('token.allGroups')}
        options={Object.keys(groups).map((name) => ({ value: name, label: name }))}
      />
    </FilterBar>
  );
}
