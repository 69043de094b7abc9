/** The list of accounts. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { UserPlus, UserRound } from 'lucide-react';
import { useState } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { UserFilters } from '@/features/user/filters.tsx';
import { useUserActions } from '@/features/user/use-user-actions.ts';
import type { User } from '@/features/user/user.ts';
import { useUserColumns } from '@/features/user/user-columns.tsx';
import { late, soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const AddQuotaDialog = late(() =>
  import('@/features/user/add-quota-dialog.tsx').then((module) => module.AddQuotaDialog),
);

const route = getRouteApi('/_console/user');

/** What a row opens. */
soon(() => import('./user.edit.page.tsx'));

export function UserPage() {
  const { t } = useTranslation();
  const { page, query } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const [enriched, setEnriched] = useState<User | null>(null);
  const actions = useUserActions();
  const columns = useUserColumns(actions, setEnriched);
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
        empty={
          <NoMatch title={t('user.noMatchTitle')} filters={['q', 'aff', 'group']}>
            {t('user.noMatchBody')}
          </NoMatch>
        }
        onRefresh={() => void refresh()}
        bulk={(users, clear, isBeyond) =>
          (['enable', 'disable'] as const).map((action) => (
            <Button
              key={action}
              onClick={() => void actions.manageMany(users, action, isBeyond).then((done) => done && clear())}
            >
              {t(`user.${action}`)}
            </Button>
          ))
        }
        matching={(paging) => api.get('/api/user/search', { query: { ...query, ...paging } })}
      />
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
