/** The line of filters over the list, and what stands in its place when they let nothing through. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { ACTION_NAMES, actionText, STATE_NAMES, stateOf } from './task.ts';

const route = getRouteApi('/_console/task');

/** The filters beside the search. */
const FILTERS = ['range', 'from', 'to', 'action', 'state', 'channel', 'user'] as const;
const NAMES = [...FILTERS, 'id'] as const;

export function NoTasks() {
  const { t } = useTranslation();
  const search = route.useSearch();
  if (NAMES.every((name) => search[name] === undefined))
    return <EmptyState title={t('task.empty')}>{t('task.emptyHelp')}</EmptyState>;
  return (
    <NoMatch title={t('task.noMatch')} filters={[...NAMES]}>
      {t('task.noMatchHelp')}
    </NoMatch>
  );
}

export function TaskFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range, initial, seesAll } = route.useLoaderData();
  const states = useMemo(() => STATE_NAMES.map((value) => ({ value, label: t(stateOf(value).label) })), [t]);
  const actions = useMemo(() => ACTION_NAMES.map((value) => ({ value, label: actionText(value, t) })), [t]);
  return (
    <FilterBar
      search={<SearchFilter name="id" label={t('task.id')} />}
      count={FILTERS.filter((name) => search[name] !== undefined).length}
    >
      <RangeFilter search={search} range={range} initial={initial} />
      <SelectFilter
        name="action"
        value={search.action}
        all={t('task.allActions')}
        options={actions}
        className="w-36 max-md:w-full"
      />
      <SelectFilter
        name="state"
        value={search.state}
        all={t('task.allStates')}
        options={states}
        className="w-36 max-md:w-full"
      />
      {seesAll && (
        <>
          <SearchFilter name="channel" label={t('task.channelFilter')} />
          <SearchFilter name="user" label={t('task.userFilter')} />
        </>
      )}
      <ClearFilters names={[...NAMES]} />
    </FilterBar>
  );
}
