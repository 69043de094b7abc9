/** What is filtered by, each with its way out. */
import { X } from 'lucide-react';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { ClearFilters } from '@/components/filter-bar.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { isLogType } from './columns.tsx';

const NAMED = [
  'request',
  'token',
  'tokenId',
  'model',
  'group',
  'code',
  'user',
  'channel',
  'detail',
  'status',
] as const;
export const CLEARED = ['type', ...NAMED, 'from', 'to'] as const;

export function Applied() {
  const { t } = useTranslation();
  const search = useSearchText();
  const type = Number(search.type);
  const chips = [
    ...(isLogType(type) ? [{ name: 'type', text: t(`log.type.${type}`) }] : []),
    ...NAMED.flatMap((name) => {
      const value = search[name];
      return value === undefined ? [] : [{ name, text: `${t(`log.filter.${name}`)}: ${value}` }];
    }),
  ];
  if (chips.length === 0) return null;
  return (
    <ul aria-label={t('log.applied')} className="mb-3 flex flex-wrap items-center gap-1.5" data-print="no">
      {chips.map(({ name, text }) => (
        <li
          key={name}
          className="inline-flex h-7 max-w-full items-center gap-1 rounded-sm border border-line bg-surface pr-0.5 pl-2 text-xs max-md:h-8"
        >
          <span className="max-w-64 truncate">{text}</span>
          <SearchLink
            change={{ [name]: undefined, p: undefined }}
            aria-label={t('log.without', { filter: text })}
            className="hit grid size-6 place-items-center rounded-xs text-muted hover:bg-hover hover:text-text"
          >
            <X className="size-3" aria-hidden="true" />
          </SearchLink>
        </li>
      ))}
      <li>
        <ClearFilters names={CLEARED} />
      </li>
    </ul>
  );
}
