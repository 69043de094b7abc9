/** The line of filters over the list, and what stands in its place when they let nothing through. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { actionChoices } from './action.ts';
import { FIRST_RANGE } from './first-range.ts';

const route = getRouteApi('/_console/admin-log');

/** The filters beside the search. */
const FILTERS = ['action', 'actor', 'target', 'from', 'to'] as const;

export function NoActions() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const names = [...FILTERS, 'q' as const];
  if (names.every((name) => search[name] === undefined))
    return <EmptyState title={t('adminLog.empty')}>{t('adminLog.emptyTime')}</EmptyState>;
  return (
    <NoMatch title={t('adminLog.empty')} filters={names}>
      {t('adminLog.emptyHelp')}
    </NoMatch>
  );
}

export function ActionFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range } = route.useLoaderData();
  const { action } = search;
  const choices = useMemo(() => actionChoices(t), [t]);
  return (
    <FilterBar
      search={<SearchFilter name="q" label={t('adminLog.search')} />}
      count={FILTERS.filter((name) => search[name] !== undefined).length}
    >
      <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
      <SelectFilter
        name="action"
        value={action}
        all={t('adminLog.allActions')}
        options={choices}
        className="w-44 max-md:w-full"
      />
      <SearchFilter name="actor" label={t('adminLog.actorFilter')} />
      <SearchFilter name="target" label={t('adminLog.targetFilter')} />
      <ClearFilters names={[...FILTERS, 'q']} />
    </FilterBar>
  );
}
