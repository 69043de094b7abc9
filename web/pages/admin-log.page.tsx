/** The list of what administrators changed. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Time } from '@/components/time.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { type ActionRow, actionChoices, actionText, targetText } from '@/features/admin-log/action.ts';
import { ShortDifference } from '@/features/admin-log/difference.tsx';
import { ExportButton } from '@/features/admin-log/export-button.tsx';
import { FIRST_RANGE } from '@/features/admin-log/first-range.ts';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/admin-log');

export function AdminLogPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page, query } = route.useLoaderData();
  const columns = useColumns();
  return (
    <>
      <PageHeader
        title={t('adminLog.title')}
        help={t('adminLog.help')}
        actions={<ExportButton query={query} />}
      />
      <Filters />
      <DataTable
        name="admin-log"
        label={t('adminLog.title')}
        columns={columns}
        page={page}
        rowId={(row) => String(row.id)}
        rowName={(row) => actionText(row.action, t)}
        summary={t('adminLog.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoActions />}
        onRefresh={() => void refresh()}
      />
      <Outlet />
    </>
  );
}

/** The filters beside the search. */
const FILTERS = ['action', 'actor', 'target', 'from', 'to'] as const;

function NoActions() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const names = [...FILTERS, 'q' as const];
  if (names.every((name) => search[name] === undefined))
    return <EmptyState title={t('adminLog.empty')}>{t('adminLog.emptyTime')}</EmptyState>;
  const none = Object.fromEntries([...names, 'p'].map((name) => [name, undefined]));
  return (
    <EmptyState
      title={t('adminLog.empty')}
      action={
        <SearchLink change={none} className={buttonVariants()}>
          {t('table.clearFilters')}
        </SearchLink>
      }
    >
      {t('adminLog.emptyHelp')}
    </EmptyState>
  );
}

function Filters() {
  const { t } = useTranslation();
  const search = useSearchText();
  const { range } = route.useLoaderData();
  const { q, action, actor, target } = search;
  const choices = useMemo(() => actionChoices(t), [t]);
  return (
    <FilterBar
      search={<SearchFilter name="q" value={q} label={t('adminLog.search')} />}
      count={FILTERS.filter((name) => search[name] !== undefined).length}
    >
      <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
      <SelectFilter
        name="action"
        value={action}
        all={t('adminLog.allActions')}
        options={choices}
        className="w-44 max-md:w-full"
      />
      <SearchFilter name="actor" value={actor} label={t('adminLog.actorFilter')} />
      <SearchFilter name="target" value={target} label={t('adminLog.targetFilter')} />
      <ClearFilters names={[...FILTERS, 'q']} />
    </FilterBar>
  );
}

function useColumns(): Column<ActionRow>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'time',
        header: t('adminLog.time'),
        fixed: true,
        card: 'meta',
        className: 'text-muted',
        cell: (row) => <Time at={row.created_at} />,
      },
      {
        id: 'actor',
        header: t('adminLog.actor'),
        card: 'status',
        cell: (row) => row.actor_name || `#${row.actor_id}`,
      },
      {
        id: 'action',
        header: t('adminLog.action'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <Link to="/admin-log/$id" params={{ id: String(row.id) }} {...openDrawer} className="quiet-link">
            {actionText(row.action, t)}
          </Link>
        ),
      },
      {
        id: 'target',
        header: t('adminLog.target'),
        card: 'fact',
        className: 'max-w-56 truncate',
        cell: (row) => <span title={row.target}>{targetText(row)}</span>,
      },
      {
        id: 'changes',
        header: t('adminLog.changes'),
        className: 'max-w-100',
        cell: (row) => <Changes row={row} />,
      },
      { id: 'ip', header: 'IP', className: 'font-mono text-xs text-muted', cell: (row) => row.ip || '-' },
    ],
    [t],
  );
}

function Changes({ row: { changes, change_count } }: { row: ActionRow }) {
  const { t } = useTranslation();
  const [first] = changes;
  if (!first) return <span className="text-muted">-</span>;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <ShortDifference difference={first} />
      {change_count > 1 && (
        <span className="shrink-0 text-xs text-muted">{t('adminLog.more', { n: change_count - 1 })}</span>
      )}
    </span>
  );
}
