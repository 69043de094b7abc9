/** The line of filters over a statement, and what stands in its place when there is nothing. */
import { LINE_KINDS } from '@modules/statement/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { kindText } from './line.ts';
import { FIRST_RANGE } from './place.ts';

const route = getRouteApi('/_console/topup/statement');

const FILTERS = ['kind', 'range', 'from', 'to'] as const;

export function StatementFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range } = route.useLoaderData();
  return (
    <FilterBar count={FILTERS.filter((name) => search[name] !== undefined).length}>
      <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
      <SelectFilter
        name="kind"
        value={search.kind}
        all={t('statement.allKinds')}
        options={Object.values(LINE_KINDS).map((kind) => ({ value: String(kind), label: kindText(kind, t) }))}
        className="w-44 max-md:w-full"
      />
      <ClearFilters names={FILTERS} />
    </FilterBar>
  );
}

/** None at all is another matter than none that matches. */
export function NoLines() {
  const { t } = useTranslation();
  const search = route.useSearch();
  if ([...FILTERS, 'p' as const].every((name) => search[name] === undefined)) {
    return <EmptyState title={t('statement.empty')}>{t('statement.emptyHelp')}</EmptyState>;
  }
  return (
    <NoMatch title={t('statement.noMatch')} filters={FILTERS}>
      {t('statement.noMatchHelp')}
    </NoMatch>
  );
}
