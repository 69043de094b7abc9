/** The line of filters over a list. The search stays in sight on the phone; the rest goes into a sheet. */
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { onUse } from '@/lib/on-use.tsx';
import { useSetSearch } from './data-table/search-links.ts';
import { FilterTrigger } from './filter-trigger.tsx';
import { Input } from './ui/input.tsx';
import { Select } from './ui/select.tsx';

const TYPING_MS = 400;

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
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2 max-md:flex-nowrap">
      {search}
      {children && (
        <>
          <div className="contents max-md:hidden">{children}</div>
          <div className="md:hidden">
            <FilterSheet count={count}>{children}</FilterSheet>
          </div>
        </>
      )}
    </search>
  );
}

interface SearchFilterProps {
  /** The field of the address that it sets. */
  name: string;
  value: string | undefined;
  label: string;
  disabled?: boolean;
}

/** Searches when typing pauses, or at once with Enter. */
export function SearchFilter({ name, value = '', label, disabled }: SearchFilterProps) {
  const setSearch = useSetSearch();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address may change without the field: by the back button, by clearing all filters.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const commit = (next: string) => {
    clearTimeout(timer.current);
    if (next !== value) setSearch({ [name]: next || undefined, p: undefined }, { replace: true });
  };
  return (
    <form
      className="relative w-64 max-md:w-auto max-md:flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        commit(text.trim());
      }}
    >
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
        className="pl-[31px] [&::-webkit-search-cancel-button]:appearance-none"
        onChange={(event) => {
          const next = event.target.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => commit(next.trim()), TYPING_MS);
        }}
      />
    </form>
  );
}

interface SelectFilterProps {
  name: string;
  value: string | undefined;
  /** The choice that filters nothing; also the control's name. */
  all: string;
  options: readonly { value: string; label: string }[];
  disabled?: boolean;
}

export function SelectFilter({ name, value = '', all, options, disabled }: SelectFilterProps) {
  const setSearch = useSetSearch();
  return (
    <Select
      className="w-32 max-md:w-full"
      aria-label={all}
      value={value}
      disabled={disabled}
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
    </Select>
  );
}
