/** The line of filters over the log. Each works at once, and all of them stand in the address. */
import { useSearchText, useSetSearch, useUnreadable } from '@/components/data-table/search-links.ts';
import { ClearFilters, FilterBar, LeftFilter, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { LOG_TYPES } from './log-row.ts';
import type { Range } from './range.ts';
import { RangeFilter } from './range-filter.tsx';

const OWN_FIELDS = ['token', 'model', 'group'] as const;
const ADMIN_FIELDS = ['channel', 'user', 'detail'] as const;
type TextField = (typeof OWN_FIELDS)[number] | (typeof ADMIN_FIELDS)[number];

/** `range`: the time that the list shows. */
export function LogFilters({ seesAll, range }: { seesAll: boolean; range: Range }) {
  const { t } = useTranslation();
  const search = useSearchText();
  const texts: readonly TextField[] = seesAll ? [...OWN_FIELDS, ...ADMIN_FIELDS] : OWN_FIELDS;
  const clearable = [...texts, 'type', 'id', 'from', 'to'];
  const set = clearable.filter((name) => search[name] !== undefined);

  return (
    <FilterBar
      search={<SearchFilter name="id" value={search.id} label={t('log.filter.id')} />}
      count={set.filter((name) => name !== 'id').length}
    >
      <RangeFilter search={search} range={range} />
      <SelectFilter
        name="type"
        value={search.type}
        all={t('log.type.all')}
        options={LOG_TYPES.map((type) => ({ value: String(type), label: t(`log.type.${type}`) }))}
      />
      {texts.map((name) => (
        <TextFilter key={name} name={name} value={search[name]} label={t(`log.filter.${name}`)} />
      ))}
      <ClearFilters names={clearable} />
    </FilterBar>
  );
}

interface TextFilterProps {
  name: TextField;
  value: string | undefined;
  label: string;
}

function TextFilter({ name, value = '', label }: TextFilterProps) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const isUnreadable = useUnreadable()[name] !== undefined;
  return (
    <LeftFilter
      name={name}
      label={label}
      placeholder={label}
      value={value}
      error={isUnreadable ? t(name === 'channel' ? 'table.notNumber' : 'table.unreadable') : undefined}
      onLeave={(typed) => setSearch({ [name]: typed || undefined, p: undefined })}
      slotClass="w-28 max-md:w-full"
      autoComplete="off"
      spellCheck={false}
    />
  );
}
