/** The marketplace, page by page; several of it can be deleted at once. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { Button } from '@/components/ui/button.tsx';
import { useApplicationColumns } from '@/features/desk/application-columns.tsx';
import type { ApplicationDrawerProps } from '@/features/desk/application-drawer.tsx';
import { type Chosen, ChosenBar, useRemoveChosen } from '@/features/desk/chosen-bar.tsx';
import { AddLink, DeskFrame } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer, EntryToCome } from '@/features/desk/entry-drawer.tsx';
import { allApplications } from '@/features/desk/load-marketplace.ts';
import { PageJump } from '@/features/desk/page-jump.tsx';
import { late, soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadMarketplace } from '../features/desk/load-marketplace.ts';

const route = getRouteApi('/_console/aipy-conf/marketplace');

// The list is read more often than it is changed.
const drawer = () =>
  import('@/features/desk/application-drawer.tsx').then((module) => module.ApplicationDrawer);
const ApplicationDrawer = late<ApplicationDrawerProps>(drawer, undefined, EntryToCome);
soon(drawer);

export function MarketplacePage() {
  const { t } = useTranslation();
  const { page, edited, groups } = route.useLoaderData();
  const { sort } = route.useSearch();
  const api = useApi();
  const refresh = useRefresh();
  const columns = useApplicationColumns();
  const chosen = useRef<Chosen | null>(null);
  const removeChosen = useRemoveChosen();
  const remove = () => void removeChosen(chosen.current);
  const add = <AddLink>{t('application.add')}</AddLink>;
  return (
    <DeskFrame
      primary={add}
      actions={
        <Button variant="danger" onClick={remove}>
          <Trash2 aria-hidden="true" />
          {t('application.batchDelete')}
        </Button>
      }
    >
      <DataTable
        name="application"
        label={t('desk.tab.marketplace')}
        columns={columns}
        page={page}
        rowId={(application) => String(application.id)}
        rowName={(application) => application.name}
        summary={t('application.count', { count: page.total, n: formatNumber(page.total) })}
        empty={
          <EmptyState title={t('application.emptyTitle')} action={add}>
            {t('application.emptyBody')}
          </EmptyState>
        }
        bulk={(applications, clear) => (
          <ChosenBar applications={applications} clear={clear} tell={chosen} onRemove={remove} />
        )}
        matching={async ({ p }) => {
          const items = p === 1 ? await allApplications(api, sort) : [];
          return { items, total: items.length };
        }}
        pagerEnd={<PageJump last={Math.ceil(page.total / page.size)} />}
        onRefresh={() => void refresh()}
      />
      <EntryDrawer
        entries={edited}
        head={(application) => ({
          title: t(application ? 'application.editTitle' : 'application.add'),
          sub: application?.name,
        })}
      >
        {(application) => (
          <ApplicationDrawer key={application?.id} application={application} groups={groups} />
        )}
      </EntryDrawer>
    </DeskFrame>
  );
}
