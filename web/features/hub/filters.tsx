/** What the price list is narrowed by. A plain form over the address, so that it works without JavaScript too. */

import { formatRate } from '@core/money.ts';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { FilterBar, SelectFilter } from '@/components/filter-bar.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { PriceFacts } from './price-item.ts';

const TYPING_MS = 500;

export interface HubSearch {
  q?: string | undefined;
  billing?: string | undefined;
  tag?: string | undefined;
  vendor?: string | undefined;
  group?: string | undefined;
}

interface HubFiltersProps {
  search: HubSearch;
  facts: PriceFacts;
}

export function HubFilters({ search, facts }: HubFiltersProps) {
  const { t } = useTranslation();
  const live = useLive();
  return (
    <form method="get" action="/model-hub" onSubmit={(event) => event.preventDefault()}>
      {search.group && <input type="hidden" name="group" value={search.group} />}
      <FilterBar
        search={<SearchField value={search.q ?? ''} />}
        count={[search.billing, search.tag, search.vendor].filter(Boolean).length}
      >
        <Choice
          name="billing"
          value={search.billing}
          all={t('hub.allBillings')}
          options={(['tokens', 'call', 'tiers', 'video'] as const).map((value) => ({
            value,
            label: t(`hub.billing.${value}`),
          }))}
        />
        <Choice name="tag" value={search.tag} all={t('hub.allTags')} options={named(facts.tags)} />
        <Choice
          name="vendor"
          value={search.vendor}
          all={t('hub.allVendors')}
          options={named(facts.vendors)}
        />
        {!live && <Button type="submit">{t('hub.search')}</Button>}
      </FilterBar>
    </form>
  );
}

const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

function SearchField({ value }: { value: string }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address may change without the field: by the back button, by clearing all filters.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (next: string) => {
    clearTimeout(timer.current);
    if (next !== value) setSearch({ q: next || undefined, p: undefined }, { replace: true });
  };
  return (
    <div className="relative w-64 max-md:w-auto max-md:min-w-0 max-md:flex-1">
      <Search
        className="pointer-events-none absolute top-1/2 left-[9px] -translate-y-1/2 text-faint"
        aria-hidden="true"
      />
      <Input
        type="search"
        name="q"
        aria-label={t('hub.searchModels')}
        placeholder={t('hub.searchModels')}
        value={text}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        className="pl-[31px] [&::-webkit-search-cancel-button]:appearance-none"
        onChange={(event) => {
          const next = event.target.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => commit(next.trim()), TYPING_MS);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(text.trim());
        }}
      />
    </div>
  );
}

interface ChoiceProps {
  name: string;
  value: string | undefined;
  all: string;
  options: readonly { value: string; label: string }[];
}

function Choice(props: ChoiceProps) {
  if (props.options.length === 0) return null;
  return <SelectFilter {...props} />;
}

/** Whose prices are shown. Links, so that they work without JavaScript. */
export function GroupSwitch({ facts, group }: { facts: PriceFacts; group: string }) {
  const { t } = useTranslation();
  const groups = Object.entries(facts.group_ratio);
  const [own] = groups[0] ?? [];
  if (groups.length < 2) return null;
  return (
    <nav aria-label={t('hub.groupPrices')} className="mb-3 flex flex-wrap items-center gap-2 text-sm">
      <span className="text-muted">{t('hub.groupPrices')}</span>
      <span className="inline-flex max-w-full flex-wrap rounded-sm border border-line-btn bg-surface">
        {groups.map(([name, ratio]) => (
          <SearchLink
            key={name}
            change={{ group: name === own ? undefined : name }}
            aria-current={name === group ? 'true' : undefined}
            title={facts.usable_group[name]}
            className="inline-flex h-[30px] items-center px-3 text-muted no-underline not-first:border-l not-first:border-line hover:text-text aria-current:bg-accent-soft aria-current:font-semibold aria-current:text-accent-text max-md:h-11"
          >
            {name}
            {ratio !== 1 && ` × ${formatRate(ratio)}`}
          </SearchLink>
        ))}
      </span>
    </nav>
  );
}
