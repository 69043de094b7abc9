/** The time that a log looks at: a preset, or two ends of one's own. */
import { useId } from 'react';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { FilterSlot, LeftFilter, shortened, slotAria } from '@/components/filter-bar.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  DEFAULT_RANGE,
  type End,
  fieldTime,
  RANGES,
  type Range,
  type RangeName,
  readInstant,
} from './range.ts';

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
  const error = isUnknown ? t('table.unknownChoice', { text: shortened(value) }) : undefined;
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

/** One end of the time range. */
function EndFilter({ end, text, after }: EndFilterProps) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const { timeZone } = useTimeRules();
  const at = text === '' ? null : readInstant(text, end, timeZone);
  const shown = at === null ? '' : fieldTime(at, timeZone);
  const error =
    text !== '' && at === null
      ? t('log.range.bad', { text: shortened(text) })
      : at !== null && after !== undefined && at < after
        ? t('log.range.turned')
        : undefined;
  return (
    <LeftFilter
      type="datetime-local"
      name={end}
      label={t(`log.range.${end}`)}
      title={`${t(`log.range.${end}`)} · ${timeZone}`}
      value={shown}
      error={error}
      onLeave={(typed) => setSearch({ [end]: readInstant(typed, end, timeZone) ?? undefined, p: undefined })}
      slotClass="w-52 max-md:w-full"
    />
  );
}
