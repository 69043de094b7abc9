/** The list of redemption codes. */
import { formatNumber } from '@core/money.ts';
import { REDEMPTION_STATES } from '@modules/redemption/facts.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { Eraser, Plus } from 'lucide-react';
import { CopyButton } from '@/components/copy-button.tsx';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { CodeFinder } from '@/features/redemption/code-finder.tsx';
import { redemptionStates } from '@/features/redemption/redemption.ts';
import { useRedemptionColumns } from '@/features/redemption/redemption-columns.tsx';
import { useRedemptionActions } from '@/features/redemption/use-redemption-actions.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/redemption');

export function RedemptionPage() {
  const { t } = useTranslation();
  const { page } = route.useLoaderData();
  const refresh = useRefresh();
  const actions = useRedemptionActions();
  const columns = useRedemptionColumns(actions);
  return (
    <>
      <PageHeader
        title={t('redemption.title')}
        help={t('redemption.help')}
        actionsBelow
        actions={
          <Button onClick={() => void actions.removeInvalid()}>
            <Eraser aria-hidden="true" />
            {t('redemption.clean')}
          </Button>
        }
        primary={<CreateLink />}
      />
      <RedemptionFilters />
      <DataTable
        name="redemption"
        label={t('redemption.list')}
        columns={columns}
        page={page}
        rowId={(code) => String(code.id)}
        rowName={(code) => `${code.name} ${code.id}`}
        summary={t('redemption.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoCodes />}
        onRefresh={() => void refresh()}
        bulk={(codes, clear) => (
          <>
            <CopyButton
              label={t('redemption.copyCodes')}
              text={() => actions.reveal(codes)}
              onError={actions.failed}
            />
            <Button onClick={() => void actions.setEnabled(codes, true).then(clear)}>
              {t('redemption.enable')}
            </Button>
            <Button onClick={() => void actions.setEnabled(codes, false).then(clear)}>
              {t('redemption.disable')}
            </Button>
            <Button
              variant="danger"
              onClick={() => void actions.remove(codes).then((isDone) => isDone && clear())}
            >
              {t('redemption.delete')}
            </Button>
          </>
        )}
      />
      <Outlet />
    </>
  );
}

function CreateLink() {
  const { t } = useTranslation();
  return (
    <Link to="/redemption/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('redemption.create')}
    </Link>
  );
}

function RedemptionFilters() {
  const { t } = useTranslation();
  const { q, status } = route.useSearch();
  return (
    <FilterBar
      count={status ? 1 : 0}
      search={<SearchFilter name="q" value={q} label={t('redemption.search')} />}
    >
      <SelectFilter
        name="status"
        value={status}
        all={t('redemption.allStates')}
        options={REDEMPTION_STATES.map((state) => ({
          value: state,
          label: t(redemptionStates[state].label),
        }))}
      />
      <CodeFinder />
    </FilterBar>
  );
}

/** None at all is another matter than none that matches. */
function NoCodes() {
  const { t } = useTranslation();
  const { q, status } = route.useSearch();
  if (!q && !status) {
    return (
      <EmptyState title={t('redemption.emptyTitle')} action={<CreateLink />}>
        {t('redemption.emptyBody')}
      </EmptyState>
    );
  }
  return (
    <NoMatch title={t('redemption.noMatchTitle')} filters={['q', 'status']}>
      {t('redemption.noMatchBody')}
    </NoMatch>
  );
}
