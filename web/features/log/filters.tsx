/** The line of filters over the log. Each works at once, and all of them stand in the address. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchText, useSetSearch } from '@/components/data-table/search-links.ts';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { LOG_TYPES } from './log-row.ts';
import { DEFAULT_RANGE, RANGES } from './range.ts';

const OWN_FIELDS = ['token', 'model', 'group'] as const;
const ADMIN_FIELDS = ['channel', 'user', 'detail'] as const;
type TextField = (typeof OWN_FIELDS)[number] | (typeof ADMIN_FIELDS)[number];

export function LogFilters({ seesAll }: { seesAll: boolean }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const search = useSearchText();
  const texts: readonly TextField[] = seesAll ? [...OWN_FIELDS, ...ADMIN_FIELDS] : OWN_FIELDS;
  const clearable = [...texts, 'type', 'id'];
  const set = clearable.filter((name) => search[name] !== undefined);

  return (
    <FilterBar
      search={<SearchFilter name="id" value={search.id} label={t('log.filter.id')} />}
      count={set.filter((name) => name !== 'id').length}
    >
      <RangeFilter value={search.range} />
      <SelectFilter
        name="type"
        value={search.type}
        all={t('log.type.all')}
        options={LOG_TYPES.map((type) => ({ value: String(type), label: t(`log.type.${type}`) }))}
      />
      {texts.map((name) => (
        <TextFilter key={name} name={name} value={search[name]} label={t(`log.filter.${name}`)} />
      ))}
      {set.length > 0 && (
        <Button
          variant="ghost"
          onClick={() =>
            setSearch({ ...Object.fromEntries(clearable.map((name) => [name, undefined])), p: undefined })
          }
        >
          <X aria-hidden="true" />
          {t('log.clearFilters')}
        </Button>
      )}
    </FilterBar>
  );
}

/** Unlike other choices it always stands at something: the page begins with today. */
function RangeFilter({ value = DEFAULT_RANGE }: { value: string | undefined }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  return (
    <Select
      className="w-32 max-md:w-full"
      aria-label={t('log.filter.range')}
      value={value}
      onChange={({ target }) =>
        setSearch({
          range: target.value === DEFAULT_RANGE ? undefined : target.value,
          from: undefined,
          to: undefined,
          p: undefined,
        })
      }
    >
      {RANGES.map((name) => (
        <option key={name} value={name}>
          {t(`log.range.${name}`)}
        </option>
      ))}
    </Select>
  );
}

/** Filters when it is left or Enter is pressed: names of models are long, and half of one finds nothing. */
function TextFilter({
  name,
  value = '',
  label,
}: {
  name: TextField;
  value: string | undefined;
  label: string;
}) {
  const setSearch = useSetSearch();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => {
    if (text.trim() !== value) setSearch({ [name]: text.trim() || undefined, p: undefined });
  };
  return (
    <Input
      className="w-28 max-md:w-full"
      name={name}
      aria-label={label}
      placeholder={label}
      value={text}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
