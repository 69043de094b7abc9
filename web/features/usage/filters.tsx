/** The line of filters over the dashboard. */
import { STEPS } from '@modules/usage/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { FIRST_RANGE } from './load.ts';

const route = getRouteApi('/_console/detail');

const FILTERS = ['range', 'from', 'to', 'step', 'user'] as const;

export function UsageFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range, seesAll } = route.useLoaderData();
  return (
    <FilterBar
      count={FILTERS.filter((name) => search[name] !== undefined).length}
      search={seesAll && <SearchFilter name="user" label={t('usage.user')} />}
    >
      <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
      <SelectFilter
        name="step"
        value={search.step}
        all={t('usage.anyStep')}
        options={STEPS.map((step) => ({ value: step, label: t(`usage.step.${step}`) }))}
        className="w-36 max-md:w-full"
      />
      <ClearFilters names={FILTERS} />
    </FilterBar>
  );
}
