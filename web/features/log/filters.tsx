/** The line of filters over the log. Each works at once, and all of them stand in the address. */
import { ChevronDown } from 'lucide-react';
import { useId, useState } from 'react';
import { useSearchText, useSetSearch, useUnreadable } from '@/components/data-table/search-links.ts';
import { FilterBar, LeftFilter, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { Button } from '@/components/ui/button.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Applied, CLEARED } from './applied.tsx';
import { firstRange } from './first-range.ts';
import { LOG_TYPES } from './log-row.ts';
import type { Range } from './range.ts';
import { RangeFilter } from './range-filter.tsx';

type TextField = 'token' | 'model' | 'group' | 'code' | 'channel' | 'user' | 'detail' | 'status';
/** Those that are asked for often stand in sight; the others unfold. */
const OWN = { often: ['token', 'model'], rare: ['group', 'code'] } as const;
const ADMIN = {
  often: ['user', 'token', 'model'],
  rare: ['group', 'channel', 'code', 'status', 'detail'],
} as const;

const NUMBERS: ReadonlySet<TextField> = new Set(['channel', 'status']);

type Names = DataOf<'get', '/api/log/names'>;

const offered = (names: Names | undefined, field: TextField): { value: string; label?: string }[] => {
  switch (field) {
    case 'token':
      return (names?.tokens ?? []).map((value) => ({ value }));
    case 'model':
      return (names?.models ?? []).map((value) => ({ value }));
    case 'group':
      return (names?.groups ?? []).map((value) => ({ value }));
    case 'code':
      return (names?.codes ?? []).map((value) => ({ value }));
    case 'channel':
      return (names?.channels ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
    default:
      return [];
  }
};

/** `range`: the time that the list shows. */
export function LogFilters({ seesAll, range }: { seesAll: boolean; range: Range }) {
  const { t } = useTranslation();
  const api = useApi();
  const search = useSearchText();
  const { often, rare } = seesAll ? ADMIN : OWN;
  const isRareSet = rare.some((name) => search[name] !== undefined);
  const [isUnfolded, setIsUnfolded] = useState(isRareSet);
  const [offers, setOffers] = useState<{ user: string | undefined; names: Names } | null>(null);
  const names = offers?.user === search.user ? offers?.names : undefined;
  /** Asked for when somebody first reaches for a field that offers some, and once more for another user's tokens. */
  const offer = () => {
    if (names) return;
    const { user } = search;
    api.get('/api/log/names', { query: { username: seesAll ? user : undefined } }).then(
      (found) => setOffers({ user, names: found }),
      () => {},
    );
  };
  const count = CLEARED.filter((name) => name !== 'request' && search[name] !== undefined).length;
  const field = (name: TextField) => (
    <TextFilter key={name} name={name} value={search[name]} offers={offered(names, name)} onReach={offer} />
  );
  return (
    <div>
      <FilterBar search={<SearchFilter name="request" label={t('log.filter.request')} />} count={count}>
        <RangeFilter search={search} range={range} initial={firstRange(search)} />
        <SelectFilter
          name="type"
          value={search.type}
          all={t('log.type.all')}
          options={LOG_TYPES.filter((type) => seesAll || type !== 7).map((type) => ({
            value: String(type),
            label: t(`log.type.${type}`),
          }))}
        />
        {often.map(field)}
        {(isUnfolded || isRareSet) && rare.map(field)}
        {!isRareSet && (
          <Button variant="ghost" aria-expanded={isUnfolded} onClick={() => setIsUnfolded(!isUnfolded)}>
            <ChevronDown aria-hidden="true" className={isUnfolded ? 'rotate-180' : undefined} />
            {t(isUnfolded ? 'log.fewerFilters' : 'log.moreFilters')}
          </Button>
        )}
      </FilterBar>
      <Applied range={range} />
    </div>
  );
}

interface TextFilterProps {
  name: TextField;
  value: string | undefined;
  offers: readonly { value: string; label?: string }[];
  onReach: () => void;
}

function TextFilter({ name, value = '', offers, onReach }: TextFilterProps) {
  const { t } = useTranslation();
  const listId = useId();
  const setSearch = useSetSearch();
  const isUnreadable = useUnreadable()[name] !== undefined;
  const label = t(`log.filter.${name}`);
  return (
    <>
      <LeftFilter
        name={name}
        label={label}
        placeholder={label}
        value={value}
        error={isUnreadable ? t(NUMBERS.has(name) ? 'table.notNumber' : 'table.unreadable') : undefined}
        onLeave={(typed) => setSearch({ [name]: typed || undefined, p: undefined })}
        slotClass="w-32 max-md:w-full"
        autoComplete="off"
        spellCheck={false}
        list={listId}
        onFocus={onReach}
      />
      <datalist id={listId}>
        {offers.map((offer) => (
          <option key={offer.value} value={offer.value}>
            {offer.label}
          </option>
        ))}
      </datalist>
    </>
  );
}
