/** What the list of codes can be asked for. */
import { REDEMPTION_STATES } from '@modules/redemption/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { CodeFinder } from './code-finder.tsx';
import { redemptionStates } from './redemption.ts';

const route = getRouteApi('/_console/redemption');

export function RedemptionFilters() {
  const { t } = useTranslation();
  const { status } = route.useSearch();
  return (
    <FilterBar count={status ? 1 : 0} search={<SearchFilter name="q" label={t('redemption.search')} />}>
      <SelectFilter
        name="status"
        value={status}
        all={t('redemption.allStates')}
        options={REDEMPTION_STATES.map((state) => ({
          value: state,
          label: t(redemptionStates[state].label),
        }))}
      />
      <CodeFinder />
    </FilterBar>
  );
}
