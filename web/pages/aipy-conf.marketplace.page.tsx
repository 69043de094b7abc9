/** The marketplace, page by page; several of it can be deleted at once. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { Button } from '@/components/ui/button.tsx';
import type { Application } from '@/features/desk/application.ts';
import { useApplicationColumns } from '@/features/desk/application-columns.tsx';
import type { ApplicationDrawerProps } from '@/features/desk/application-drawer.tsx';
import { AddLink, DeskFrame } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer } from '@/features/desk/entry-drawer.tsx';
import { PageJump } from '@/features/desk/page-jump.tsx';
import { useEntryActions } from '@/features/desk/use-entry-actions.ts';
import { late } from '@/lib/late.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadMarketplace } from '../features/desk/load-marketplace.ts';

const route = getRouteApi('/_console/aipy-conf/marketplace');

// The list is read more often than it is changed.
const ApplicationDrawer = late<ApplicationDrawerProps>(() =>
  import('@/features/desk/application-drawer.tsx').then((module) => module.ApplicationDrawer),
);

/** What is chosen in the list, and the way to choose nothing. */
interface Chosen {
  applications: readonly Application[];
  clear: () => void;
}

export function MarketplacePage() {
  const { t } = useTranslation();
  const { page, edited, groups } = route.useLoaderData();
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
        pagerEnd={<PageJump last={Math.ceil(page.total / page.size)} />}
        onRefresh={() => void refresh()}
      />
      <EntryDrawer entries={edited}>
        {(application) => (
          <ApplicationDrawer key={application?.id} application={application} groups={groups} />
        )}
      </EntryDrawer>
    </DeskFrame>
  );
}

interface ChosenBarProps extends Chosen {
  /** Told what is chosen for as long as something is. */
  tell: { current: Chosen | null };
  onRemove: () => void;
}

function ChosenBar({ applications, clear, tell, onRemove }: ChosenBarProps) {
  const { t } = useTranslation();
  useEffect(() => {
    tell.current = { applications, clear };
    return () => {
      tell.current = null;
    };
  });
  return (
    <Button variant="danger" onClick={onRemove}>
      {t('desk.delete')}
    </Button>
  );
}

/** Deletes what is chosen after a question; says so where nothing is. */
function useRemoveChosen(): (chosen: Chosen | null) => Promise<void> {
  const { t } = useTranslation();
  const api = useApi();
  const actions = useEntryActions();
  return async (chosen) => {
    if (!chosen) return notify({ tone: 'bad', text: t('application.chooseFirst') });
    const ids = chosen.applications.map(({ id }) => id);
    const isDone = await actions.remove(
      {
        title: t('application.deleteManyTitle', { count: ids.length }),
        body: t('application.deleteBody'),
      },
      () => api.send('POST', '/api/application/admin/batch', { body: { ids } }),
      t('application.batchDeleted'),
    );
    if (isDone) chosen.clear();
  };
}
