/** The list of accounts. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { UserPlus, UserRound } from 'lucide-react';
import { useState } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { KeyFinder } from '@/components/key-finder.tsx';
import { BottomBarSpace, PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useUserActions } from '@/features/user/use-user-actions.ts';
import type { User } from '@/features/user/user.ts';
import { useUserColumns } from '@/features/user/user-columns.tsx';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const AddQuotaDialog = late(() =>
  import('@/features/user/add-quota-dialog.tsx').then((module) => module.AddQuotaDialog),
);

const route = getRouteApi('/_console/user');

export function UserPage() {
  const { t } = useTranslation();
  const { page } = route.useLoaderData();
  const refresh = useRefresh();
  const [enriched, setEnriched] = useState<User | null>(null);
  const columns = useUserColumns(useUserActions(), setEnriched);
  return (
    <>
      <PageHeader title={t('user.title')} help={t('user.help')} actions={<OwnLink />} primary={<AddLink />} />
      <UserFilters />
      <DataTable
        name="user"
        label={t('user.list')}
        columns={columns}
        page={page}
        rowId={(user) => String(user.id)}
        rowName={(user) => user.username}
        summary={t('user.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoUsers />}
        onRefresh={() => void refresh()}
      />
      <BottomBarSpace />
      {enriched && <AddQuotaDialog user={enriched} onClose={() => setEnriched(null)} />}
      <Outlet />
    </>
  );
}

function AddLink() {
  const { t } = useTranslation();
  return (
    <Link to="/user/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <UserPlus aria-hidden="true" />
      {t('user.create')}
    </Link>
  );
}

function OwnLink() {
  const { t } = useTranslation();
  return (
    <Link to="/user/edit" {...openDrawer} className={buttonVariants()}>
      <UserRound aria-hidden="true" />
      {t('user.selfTitle')}
    </Link>
  );
}

function UserFilters() {
  const { t } = useTranslation();
  const { q, aff, group } = route.useSearch();
  const { groups } = route.useLoaderData();
  const isAlone = Boolean(aff);
  return (
    <>
      <FilterBar
        count={[aff, group].filter(Boolean).length}
        search={<SearchFilter name="q" value={q} label={t('user.search')} disabled={isAlone} />}
      >
        <SearchFilter name="aff" value={aff} label={t('user.affCode')} />
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

function NoUsers() {
  const { t } = useTranslation();
  return (
    <EmptyState
      title={t('user.noMatchTitle')}
      action={
        <SearchLink
          change={{ q: undefined, aff: undefined, group: undefined, p: undefined }}
          className={buttonVariants()}
        >
          {t('table.clearFilters')}
        </SearchLink>
      }
    >
      {t('user.noMatchBody')}
    </EmptyState>
  );
}
