/** What a list is filtered by: each with its way out, and on paper, where no control stands, in one line. */
import { X } from 'lucide-react';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SearchChange } from './data-table/search-links.ts';
import { ClearFilters } from './filter-bar.tsx';
import { SearchLink } from './search-link.tsx';

interface AppliedFiltersProps {
  /** Each by the fields of the address that go with it. */
  chips: readonly { names: readonly string[]; text: string }[];
  /** The fields that go with all of them. */
  cleared: readonly string[];
  /** The time that the list looks at. On the screen its own filter stands at it, however it was chosen. */
  time: string;
}

const without = (names: readonly string[]): SearchChange =>
  Object.fromEntries([...names, 'p'].map((name) => [name, undefined]));

export function AppliedFilters({ chips, cleared, time }: AppliedFiltersProps) {
  const { t } = useTranslation();
  const others = chips.filter(({ names }) => !names.includes('range'));
  return (
    <>
      <p className="mb-3 hidden text-xs break-words print:block">
        {t('table.applied')}: {[time, ...others.map(({ text }) => text)].join(' · ')}
      </p>
      {chips.length > 0 && <Chips chips={chips} cleared={cleared} />}
    </>
  );
}

function Chips({ chips, cleared }: Pick<AppliedFiltersProps, 'chips' | 'cleared'>) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('table.applied')} className="mb-3 flex flex-wrap items-center gap-1.5" data-print="no">
      {chips.map(({ names, text }) => (
        <li
          key={names[0]}
          className="inline-flex h-7 max-w-full items-center gap-1 rounded-sm border border-line bg-surface pr-0.5 pl-2 text-xs max-md:h-8"
        >
          <span className="max-w-64 truncate">{text}</span>
          <SearchLink
            change={without(names)}
            aria-label={t('table.without', { filter: text })}
            className="hit grid size-6 place-items-center rounded-xs text-muted hover:bg-hover hover:text-text"
          >
            <X className="size-3" aria-hidden="true" />
          </SearchLink>
        </li>
      ))}
      <li>
        <ClearFilters names={cleared} />
      </li>
    </ul>
  );
}
