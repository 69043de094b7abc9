/** The line of filters over a statement, and what stands in its place when there is nothing. */
import { LINE_KINDS } from '@modules/statement/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { AppliedFilters } from '@/components/applied-filters.tsx';
import {
  useReadText,
  useSearchText,
  useSetSearch,
  useUnreadable,
} from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, LeftFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { RANGES } from '@/features/log/range.ts';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { useRangeText } from '@/features/log/use-range-text.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { amountShown, unitsShownAs } from './amount.ts';
import { kindText } from './line.ts';
import { FIRST_RANGE } from './place.ts';

const route = getRouteApi('/_console/topup/statement');

const ENDS = ['least', 'most'] as const;
const TIME = ['range', 'from', 'to'] as const;
const FILTERS = [...TIME, 'kind', ...ENDS] as const;

type AmountEnd = (typeof ENDS)[number];

export function StatementFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range } = route.useLoaderData();
  return (
    <>
      <FilterBar count={FILTERS.filter((name) => search[name] !== undefined).length}>
        <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
        <SelectFilter
          name="kind"
          value={search.kind}
          all={t('statement.allKinds')}
          options={Object.values(LINE_KINDS).map((kind) => ({
            value: String(kind),
            label: kindText(kind, t),
          }))}
          className="w-44 max-md:w-full"
        />
        {ENDS.map((end) => (
          <AmountFilter key={end} end={end} />
        ))}
      </FilterBar>
      <Applied />
    </>
  );
}

/** Of an amount in units, as it is read. */
function useAmountText(): (units: string) => string {
  const rules = moneyRules(useBoot());
  return (units) => (/^\d+$/.test(units) ? amountShown(Number(units), rules) : units);
}

/** An end of the amounts. It stands in the address in units, which are the same in every language. */
function AmountFilter({ end }: { end: AmountEnd }) {
  const { t } = useTranslation();
  const search = useSearchText();
  const setSearch = useSetSearch();
  const isUnreadable = useUnreadable()[end] !== undefined;
  const rules = moneyRules(useBoot());
  const amountText = useAmountText();
  const label = t(`statement.${end}`);
  return (
    <LeftFilter
      name={end}
      label={label}
      placeholder={label}
      title={t('statement.amountHelp')}
      inputMode="decimal"
      autoComplete="off"
      value={amountText(search[end] ?? '')}
      error={isUnreadable ? t('statement.amountBad') : undefined}
      onLeave={(typed) =>
        setSearch({
          [end]: typed === '' ? undefined : (unitsShownAs(typed, rules)?.[end] ?? typed),
          p: undefined,
        })
      }
      slotClass="w-32 max-md:w-full"
    />
  );
}

function Applied() {
  const { t } = useTranslation();
  const search = useReadText();
  const amountText = useAmountText();
  const { range } = route.useLoaderData();
  const { ends, whole } = useRangeText();
  const preset = RANGES.find((name) => name === search.range);
  const isFixed = Boolean(search.from || search.to);
  const chips = [
    ...(isFixed ? [{ names: TIME, text: ends(range) }] : []),
    ...(preset && !isFixed ? [{ names: TIME, text: t(`log.range.${preset}`) }] : []),
    ...(search.kind ? [{ names: ['kind'], text: kindText(Number(search.kind), t) }] : []),
    ...ENDS.flatMap((end) => {
      const units = search[end];
      return units ? [{ names: [end], text: `${t(`statement.${end}`)}: ${amountText(units)}` }] : [];
    }),
  ];
  return <AppliedFilters chips={chips} cleared={FILTERS} time={whole(range)} />;
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
