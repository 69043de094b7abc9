/** The line of filters over everyone's orders, and what stands in its place when there is nothing. */
import { PAYMENT_PROVIDERS, TOPUP_STATUSES } from '@modules/payment/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { FIRST_RANGE } from './first-range.ts';
import { orderStates } from './order.ts';

const route = getRouteApi('/_console/payment');

const FILTERS = ['range', 'from', 'to', 'status', 'provider', 'q'] as const;

export function OrderFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range } = route.useLoaderData();
  return (
    <FilterBar
      count={FILTERS.filter((name) => name !== 'q' && search[name] !== undefined).length}
      search={<SearchFilter name="q" label={t('payment.search')} />}
    >
      <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
      <SelectFilter
        name="status"
        value={search.status}
        all={t('payment.allStates')}
        options={TOPUP_STATUSES.map((status) => ({ value: status, label: t(orderStates[status].label) }))}
      />
      <SelectFilter
        name="provider"
        value={search.provider}
        all={t('payment.allProviders')}
        options={PAYMENT_PROVIDERS.map((name) => ({ value: name, label: name }))}
      />
      <ClearFilters names={FILTERS} />
    </FilterBar>
  );
}

/** None at all is another matter than none that matches. */
export function NoOrders() {
  const { t } = useTranslation();
  const search = useSearchText();
  if (FILTERS.every((name) => search[name] === undefined)) {
    return <EmptyState title={t('payment.none')}>{t('payment.noneYet')}</EmptyState>;
  }
  return (
    <NoMatch title={t('payment.noMatch')} filters={FILTERS}>
      {t('payment.noMatchHelp')}
    </NoMatch>
  );
}
