/** The list of registered applications. */
import { formatNumber } from '@core/money.ts';
import type { OAuthAppAction } from '@modules/oauth-app/facts.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { BulkAction } from '@/components/bulk-action.tsx';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import type { OAuthAppWithSecret } from '@/features/oauth-app/app.ts';
import { useAppColumns } from '@/features/oauth-app/columns.tsx';
import { useAppActions } from '@/features/oauth-app/use-app-actions.ts';
import { late, soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const SecretDrawer = late(() =>
  import('@/features/oauth-app/secret-drawer.tsx').then((module) => module.SecretDrawer),
);

const route = getRouteApi('/_console/oauth-apps');

/** What a row opens. */
soon(() => import('./oauth-apps.edit.page.tsx'));

const nameOf = ({ name }: { name: string }): string => name;

export function OAuthAppsPage() {
  const { t } = useTranslation();
  const { page, query } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const change = (action: OAuthAppAction) => (ids: number[]) =>
    api.send('POST', '/api/oauth_app/admin/batch', { body: { ids, action } });
  const [renewed, setRenewed] = useState<OAuthAppWithSecret | null>(null);
  const columns = useAppColumns(useAppActions(setRenewed));
  return (
    <>
      <PageHeader title={t('oauthApp.title')} help={t('oauthApp.help')} primary={<CreateLink />} />
      <FilterBar count={0} search={<SearchFilter name="q" label={t('oauthApp.search')} />} />
      <DataTable
        name="oauth-apps"
        label={t('oauthApp.list')}
        columns={columns}
        page={page}
        rowId={(app) => String(app.id)}
        rowName={nameOf}
        summary={t('oauthApp.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoApps />}
        bulk={(rows, clear, isBeyond) => (
          <>
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('oauthApp.enable')}
              work={change('enable')}
            />
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('oauthApp.disable')}
              question={{
                title: t('oauthApp.disableManyTitle', { count: rows.length }),
                body: t('oauthApp.deleteBody'),
              }}
              work={change('disable')}
            />
          </>
        )}
        matching={(paging) => api.get('/api/oauth_app/admin/', { query: { ...query, ...paging } })}
        onRefresh={() => void refresh()}
      />
      {renewed && <SecretDrawer app={renewed} title={t('oauthApp.renew')} onClose={() => setRenewed(null)} />}
      <Outlet />
    </>
  );
}

function CreateLink() {
  const { t } = useTranslation();
  return (
    <Link to="/oauth-apps/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('oauthApp.create')}
    </Link>
  );
}

/** None at all is another matter than none that matches. */
function NoApps() {
  const { t } = useTranslation();
  const { q } = route.useSearch();
  if (!q) {
    return (
      <EmptyState title={t('oauthApp.emptyTitle')} action={<CreateLink />}>
        {t('oauthApp.emptyBody')}
      </EmptyState>
    );
  }
  return (
    <NoMatch title={t('oauthApp.noMatchTitle')} filters={['q']}>
      {t('oauthApp.noMatchBody')}
    </NoMatch>
  );
}
