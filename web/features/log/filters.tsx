/** The line of filters over the log. Each works at once, and all of them stand in the address. */
import { X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useSearchText, useSetSearch, useUnreadable } from '@/components/data-table/search-links.ts';
import { FilterBar, FilterSlot, SearchFilter, SelectFilter, slotAria } from '@/components/filter-bar.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useNow } from '@/lib/clock.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { LOG_TYPES } from './log-row.ts';
import {
  DEFAULT_RANGE,
  type End,
  fieldTime,
  RANGES,
  type Range,
  type RangeName,
  readInstant,
} from './range.ts';

/** Of a text that nobody can read, so much is shown. */
const SHOWN_MAX = 40;

const OWN_FIELDS = ['token', 'model', 'group'] as const;
const ADMIN_FIELDS = ['channel', 'user', 'detail'] as const;
type TextField = (typeof OWN_FIELDS)[number] | (typeof ADMIN_FIELDS)[number];

/** `range`: the time that the list shows. */
export function LogFilters({ seesAll, range }: { seesAll: boolean; range: Range }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
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

/** Chosen when the ends are fixed; no name of a preset. */
const FIXED = 'fixed' as const;

/** Unlike other choices it always stands at something: the page begins with today. */
export function RangeFilter({
  search,
  range,
  initial = DEFAULT_RANGE,
}: {
  search: Record<string, string | undefined>;
  range: Range;
  /** What it stands at where the address says nothing. */
  initial?: RangeName;
}) {
  const { t } = useTranslation();
  const errorId = useId();
  const setSearch = useSetSearch();
  const now = useNow();
  const isFixed = Boolean(search.from || search.to);
  const value = isFixed ? FIXED : search.range || initial;
  const isUnknown = !isFixed && !RANGES.some((name) => name === value);
  const error = isUnknown ? t('table.unknownChoice', { text: value }) : undefined;
  const choose = (name: string) => {
    if (name === FIXED) {
      // They begin as what is shown now.
      setSearch({ range: undefined, from: range.from, to: range.to ?? now, p: undefined });
    } else {
      setSearch({
        range: name === initial ? undefined : name,
        from: undefined,
        to: undefined,
        p: undefined,
      });
    }
  };
  return (
    <>
      <FilterSlot id={errorId} error={error} className="w-32 max-md:w-full">
        <Select
          name="range"
          aria-label={t('log.filter.range')}
          value={value}
          {...slotAria(errorId, error)}
          onChange={({ target }) => choose(target.value)}
        >
          {[...RANGES, FIXED].map((name) => (
            <option key={name} value={name}>
              {t(`log.range.${name}`)}
            </option>
          ))}
          {isUnknown && <option>{value}</option>}
        </Select>
      </FilterSlot>
      {isFixed && (
        <>
          <EndFilter end="from" text={search.from ?? ''} />
          <EndFilter end="to" text={search.to ?? ''} after={range.from} />
        </>
      )}
    </>
  );
}

interface EndFilterProps {
  end: End;
  /** As it stands in the address. */
  text: string;
  /** Before this nothing can end, unix seconds. */
  after?: number | undefined;
}

/** One end of the time range; filters when it is left or Enter is pressed. */
function EndFilter({ end, text, after }: EndFilterProps) {
  const { t } = useTranslation();
  const errorId = useId();
  const setSearch = useSetSearch();
  const { timeZone } = useBoot().preferences;
  const at = text === '' ? null : readInstant(text, end, timeZone);
  const shown = at === null ? '' : fieldTime(at, timeZone);
  const [typed, setTyped] = useState(shown);
  useEffect(() => setTyped(shown), [shown]);
  const commit = () => {
    if (typed !== shown) setSearch({ [end]: readInstant(typed, end, timeZone) ?? undefined, p: undefined });
  };
  const error =
    text !== '' && at === null
      ? t('log.range.bad', { text: text.slice(0, SHOWN_MAX) })
      : at !== null && after !== undefined && at < after
        ? t('log.range.turned')
        : undefined;
  return (
    <FilterSlot id={errorId} error={error} className="w-48 max-md:w-full">
      <Input
        type="datetime-local"
        name={end}
        aria-label={t(`log.range.${end}`)}
        title={`${t(`log.range.${end}`)} · ${timeZone}`}
        value={typed}
        {...slotAria(errorId, error)}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
    </FilterSlot>
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
  const { t } = useTranslation();
  const errorId = useId();
  const setSearch = useSetSearch();
  const isUnreadable = useUnreadable()[name] !== undefined;
  const error = isUnreadable ? t(name === 'channel' ? 'table.notNumber' : 'table.unreadable') : undefined;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => {
    if (text.trim() !== value) setSearch({ [name]: text.trim() || undefined, p: undefined });
  };
  return (
    <FilterSlot id={errorId} error={error} className="w-28 max-md:w-full">
      <Input
        name={name}
        aria-label={label}
        placeholder={label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        {...slotAria(errorId, error)}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
    </FilterSlot>
  );
}
