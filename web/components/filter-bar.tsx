/**
 * The line of filters over a list. The search stays in sight on the phone; the rest goes into a sheet. What of the address
 * no filter can read is said at its field, and the list is shown without it.
 */

import { soughtText } from '@core/key-text.ts';
import { useLocation } from '@tanstack/react-router';
import { CircleX, Search, X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { onUse } from '@/lib/on-use.tsx';
import { TYPING_MS } from '@/lib/typing.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useSearchText, useSetSearch, useUnreadable } from './data-table/search-links.ts';
import { FilterTrigger } from './filter-trigger.tsx';
import { Button } from './ui/button.tsx';
import { Input } from './ui/input.tsx';
import { Select } from './ui/select.tsx';

const SHOWN_MAX = 40;

/** As much as is shown of a text that nobody can read. */
export const shortened = (text: string): string => text.slice(0, SHOWN_MAX);

interface FilterBarProps {
  search?: ReactNode;
  /** How many of `children` are set: the number on the phone's button. */
  count: number;
  /** The other filters. */
  children?: ReactNode;
}

const FilterSheet = onUse<{ count: number; children: ReactNode }>(
  () => import('./filter-sheet.tsx').then((module) => module.FilterSheet),
  function FilterButton({ count, onUse }) {
    return <FilterTrigger count={count} onClick={onUse} />;
  },
);

export function FilterBar({ search, count, children }: FilterBarProps) {
  const { t } = useTranslation();
  const unreadable = Object.keys(useUnreadable()).length;
  return (
    <search className="mb-3 block">
      <div className="flex flex-wrap items-start gap-2 max-md:flex-nowrap">
        {search}
        {children && (
          <>
            {/* Without JavaScript nobody could open the sheet. */}
            <div className="contents max-md:[@media(scripting:enabled)]:hidden">{children}</div>
            <div className="md:hidden">
              <FilterSheet count={count + unreadable}>{children}</FilterSheet>
            </div>
          </>
        )}
      </div>
      {unreadable > 0 && (
        <p className="mt-1.5 text-xs text-bad md:hidden">
          {t('table.unreadableFilters', { count: unreadable })}
        </p>
      )}
    </search>
  );
}

/** Takes filters out of the address; there when one of them is set. */
export function ClearFilters({ names }: { names: readonly string[] }) {
  const { t } = useTranslation();
  const search = useSearchText();
  const setSearch = useSetSearch();
  if (names.every((name) => search[name] === undefined)) return null;
  const none = Object.fromEntries([...names, 'p'].map((name) => [name, undefined]));
  return (
    <Button variant="ghost" onClick={() => setSearch(none)}>
      <X aria-hidden="true" />
      {t('table.clearFilters')}
    </Button>
  );
}

interface FilterSlotProps {
  /** Of the message, for the control's `aria-describedby`. */
  id: string;
  error: string | undefined;
  className?: string;
  children: ReactNode;
}

/** A filter's control, and below it what is wrong with its text. */
export function FilterSlot({ id, error, className, children }: FilterSlotProps) {
  return (
    <div className={className}>
      {children}
      {error && (
        <p id={id} className="mt-1 flex gap-1 text-xs text-bad">
          <CircleX className="mt-0.5 size-3.5" aria-hidden="true" />
          {error}
        </p>
      )}
    </div>
  );
}

/** What ties a filter's control to its message. */
export const slotAria = (id: string, error: string | undefined) => ({
  'aria-invalid': error ? (true as const) : undefined,
  'aria-describedby': error ? id : undefined,
});

interface SearchFilterProps {
  /** The field of the address that it sets. */
  name: string;
  label: string;
  disabled?: boolean;
}

/**
 * Searches when typing pauses, and at once with Enter or when it is left. Of a key the address holds no more than is shown
 * of it. The field goes by the address that is asked for, not by that of the list which is there: a slow list of the first
 * letters says nothing of what is typed since.
 */
export function SearchFilter({ name, label, disabled }: SearchFilterProps) {
  const { t } = useTranslation();
  const errorId = useId();
  const setSearch = useSetSearch();
  const error = useUnreadable()[name] === undefined ? undefined : t('table.unreadable');
  const sought = useSearchText()[name] ?? '';
  const href = useLocation({ select: (location) => location.href });
  const [text, setText] = useState(sought);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address may change without the field: by the back button, by clearing all filters, which may come before what the
  // field itself asked for was drawn.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with any other address, though its part of this field be the same.
  useEffect(() => {
    if (timer.current === undefined)
      setText((typed) => (soughtText(typed.trim()) === sought ? typed : sought));
  }, [sought, href]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const seek = (typed: string, { again = false } = {}) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const next = soughtText(typed.trim());
    if (again || next !== sought) setSearch({ [name]: next || undefined, p: undefined }, { replace: true });
  };
  // Another filter may be set while typing pauses: the address of that moment is changed, not that of the last letter.
  const latest = useRef(seek);
  latest.current = seek;
  return (
    <form
      className="max-w-64 flex-[1_1_176px] max-md:max-w-none max-md:flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        seek(text, { again: true });
      }}
    >
      <FilterSlot id={errorId} error={error}>
        <div className="relative">
          <Search
            className="pointer-events-none absolute top-1/2 left-[9px] -translate-y-1/2 text-faint"
            aria-hidden="true"
          />
          <Input
            type="search"
            name={name}
            aria-label={label}
            placeholder={label}
            value={text}
            disabled={disabled}
            autoComplete="off"
            spellCheck={false}
            className="text-ellipsis pl-[31px] [&::-webkit-search-cancel-button]:appearance-none"
            {...slotAria(errorId, error)}
            onChange={(event) => {
              const next = event.target.value;
              setText(next);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => latest.current(next), TYPING_MS);
            }}
            onBlur={() => {
              if (timer.current !== undefined) seek(text);
            }}
          />
        </div>
      </FilterSlot>
    </form>
  );
}

interface LeftFilterProps extends Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> {
  /** As the address has it. */
  value: string;
  label: string;
  error: string | undefined;
  /** Takes what was typed, where it is another. */
  onLeave: (typed: string) => void;
  slotClass: string;
}

/** Filters when it is left or Enter is pressed: for what finds nothing while half of it is typed. */
export function LeftFilter({ value, label, error, onLeave, slotClass, ...props }: LeftFilterProps) {
  const errorId = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const commit = () => {
    const next = soughtText(typed.trim());
    if (next !== value) onLeave(next);
  };
  return (
    <FilterSlot id={errorId} error={error} className={slotClass}>
      <Input
        aria-label={label}
        value={typed}
        {...slotAria(errorId, error)}
        {...props}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
    </FilterSlot>
  );
}

interface SelectFilterProps {
  name: string;
  value: string | undefined;
  /** The choice that filters nothing; also the control's name. */
  all: string;
  options: readonly { value: string; label: string }[];
  disabled?: boolean;
  className?: string;
}

export function SelectFilter(props: SelectFilterProps) {
  const { name, value: read = '', all, options, disabled, className = 'w-32 max-md:w-full' } = props;
  const { t } = useTranslation();
  const errorId = useId();
  const setSearch = useSetSearch();
  const unreadable = useUnreadable()[name];
  const value = unreadable ?? read;
  const isUnknown = value !== '' && !options.some((option) => option.value === value);
  const error = isUnknown ? t('table.unknownChoice', { text: shortened(value) }) : undefined;
  return (
    <FilterSlot id={errorId} error={error} className={className}>
      <Select
        name={name}
        aria-label={all}
        value={value}
        disabled={disabled}
        {...slotAria(errorId, error)}
        onChange={(event) =>
          setSearch({ [name]: event.target.value || undefined, p: undefined }, { replace: true })
        }
      >
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
        {isUnknown && <option>{value}</option>}
      </Select>
    </FilterSlot>
  );
}
