/** What the list of drawings can be asked for, and what stands in it where there is none. */
import { getRouteApi } from '@tanstack/react-router';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { RangeFilter } from '../log/range-filter.tsx';
import { STATE_NAMES, stateOf } from '../task/task.ts';

const route = getRouteApi('/_console/midjourney');

/** The filters beside the search. */
const FILTERS = ['range', 'from', 'to', 'state', 'channel', 'user'] as const;
const NAMES = [...FILTERS, 'id'] as const;

export function DrawingFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range, initial, seesAll } = route.useLoaderData();
  return (
    <FilterBar
      search={<SearchFilter name="id" label={t('task.id')} />}
      count={FILTERS.filter((name) => search[name] !== undefined).length}
    >
      <RangeFilter search={search} range={range} initial={initial} />
      <SelectFilter
        name="state"
        value={search.state}
        all={t('task.allStates')}
        options={STATE_NAMES.map((value) => ({ value, label: t(stateOf(value).label) }))}
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

export function NoDrawings() {
  const { t } = useTranslation();
  const search = useSearchText();
  if (NAMES.every((name) => search[name] === undefined))
    return <EmptyState title={t('drawing.empty')}>{t('drawing.emptyHelp')}</EmptyState>;
  return (
    <NoMatch title={t('drawing.noMatch')} filters={[...NAMES]}>
      {t('task.noMatchHelp')}
    </NoMatch>
  );
}
