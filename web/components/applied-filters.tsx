/** What a list is filtered by, each with its way out. */
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
}

const without = (names: readonly string[]): SearchChange =>
  Object.fromEntries([...names, 'p'].map((name) => [name, undefined]));

export function AppliedFilters({ chips, cleared }: AppliedFiltersProps) {
  const { t } = useTranslation();
  if (chips.length === 0) return null;
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
