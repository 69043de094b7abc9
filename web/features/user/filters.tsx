/** The line of filters over the list of accounts. */
import { getRouteApi } from '@tanstack/react-router';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { KeyFinder } from '@/components/key-finder.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/user');

export function UserFilters() {
  const { t } = useTranslation();
  const { aff, group } = route.useSearch();
  const { groups } = route.useLoaderData();
  const isAlone = Boolean(aff);
  return (
    <>
      <FilterBar
        count={[aff, group].filter(Boolean).length}
        search={<SearchFilter name="q" label={t('user.search')} disabled={isAlone} />}
      >
        <SearchFilter name="aff" label={t('user.affCode')} />
        <SelectFilter
          name="group"
          value={group}
          all={t('user.allGroups')}
          options={groups.map((name) => ({ value: name, label: name }))}
          disabled={isAlone}
        />
        <OwnerFinder />
      </FilterBar>
      {isAlone && <p className="-mt-1 mb-3 text-xs text-muted">{t('user.alone')}</p>}
    </>
  );
}

const ownerTexts = {
  action: 'user.byToken',
  help: 'user.byTokenHelp',
  field: 'user.token',
  unknown: 'user.tokenUnknown',
} as const;

function OwnerFinder() {
  const api = useApi();
  return (
    <KeyFinder
      texts={ownerTexts}
      find={async (token) => {
        const { items } = await api.get('/api/user/search', { query: { token } });
        const [owner] = items;
        return owner ? { q: owner.username, aff: undefined, group: undefined, p: undefined } : null;
      }}
    />
  );
}
