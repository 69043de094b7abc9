/** What the list of likes can be asked for, and what stands in it where there is none. */
import { MARK } from '@modules/like/facts.ts';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const FILTERS = ['user', 'mark'] as const;

export function LikeFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  return (
    <FilterBar
      search={<SearchFilter name="user" label={t('like.user')} />}
      count={search.mark === undefined ? 0 : 1}
    >
      <SelectFilter
        name="mark"
        value={search.mark}
        all={t('like.allMarks')}
        options={[
          { value: String(MARK.like), label: t('like.liked') },
          { value: String(MARK.dislike), label: t('like.disliked') },
        ]}
        className="w-40 max-md:w-full"
      />
      <ClearFilters names={FILTERS} />
    </FilterBar>
  );
}

export function NoLikes() {
  const { t } = useTranslation();
  const search = useSearchText();
  if (FILTERS.every((name) => search[name] === undefined))
    return <EmptyState title={t('like.empty')}>{t('like.emptyHelp')}</EmptyState>;
  return (
    <NoMatch title={t('like.noMatch')} filters={[...FILTERS]}>
      {t('like.noMatchHelp')}
    </NoMatch>
  );
}
