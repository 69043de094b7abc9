/** The list of what users thought of their tasks. */
import { formatNumber } from '@core/money.ts';
import { MARK } from '@modules/like/facts.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { Time } from '@/components/time.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/task-like');

type Like = DataOf<'get', '/api/task/like/admin'>['items'][number];

export function TaskLikePage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page } = route.useLoaderData();
  const columns = useLikeColumns();
  return (
    <>
      <PageHeader title={t('like.title')} help={t('like.help')} />
      <LikeFilters />
      <DataTable
        name="like"
        label={t('like.title')}
        columns={columns}
        page={page}
        rowId={(like) => String(like.id)}
        rowName={titleOf}
        summary={t('like.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoLikes />}
        onRefresh={() => void refresh()}
      />
      <Outlet />
    </>
  );
}

const titleOf = ({ title, task_id }: Like): string => title || task_id;

function useLikeColumns(): Column<Like>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<Like>[] => [
      { id: 'id', sort: 'id', header: 'ID', align: 'right', className: 'text-muted', cell: ({ id }) => id },
      {
        id: 'title',
        sort: 'title',
        header: t('like.name'),
        card: 'title',
        className: 'max-w-60 truncate',
        cell: ({ title }) => <span title={title}>{title}</span>,
      },
      {
        id: 'user',
        sort: 'user',
        header: t('like.user'),
        card: 'fact',
        cell: ({ username }) => username || '-',
      },
      {
        id: 'task',
        opens: true,
        header: t('like.taskId'),
        fixed: true,
        card: 'fact-end',
        className: 'max-w-52 truncate font-mono text-xs',
        cell: ({ id, task_id }) => (
          <Link
            to="/task-like/$id"
            params={{ id: String(id) }}
            {...openDrawer}
            className="quiet-link"
            title={task_id}
          >
            {task_id}
          </Link>
        ),
      },
      { id: 'mark', sort: 'mark', header: t('like.mark'), fixed: true, card: 'status', cell: Mark },
      {
        id: 'note',
        header: t('like.note'),
        card: 'meta',
        className: 'max-w-80 truncate text-muted max-md:max-w-full max-md:whitespace-normal',
        cell: ({ note }) => <span title={note}>{note}</span>,
      },
      {
        id: 'time',
        sort: 'time',
        header: t('like.time'),
        className: 'text-muted',
        cell: ({ created_at }) => <Time at={created_at} />,
      },
    ],
    [t],
  );
}

function Mark({ mark }: Like) {
  const { t } = useTranslation();
  const isLike = mark === MARK.like;
  const Icon = isLike ? ThumbsUp : ThumbsDown;
  return (
    <span className="inline-flex items-center gap-1.5">
      <Icon className={isLike ? 'text-ok' : 'text-bad'} aria-hidden="true" />
      {t(isLike ? 'like.liked' : 'like.disliked')}
    </span>
  );
}

const FILTERS = ['user', 'mark'] as const;

function LikeFilters() {
  const { t } = useTranslation();
  const search = useSearchText();
  return (
    <FilterBar
      search={<SearchFilter name="user" value={search.user} label={t('like.user')} />}
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

function NoLikes() {
  const { t } = useTranslation();
  const search = route.useSearch();
  if (FILTERS.every((name) => search[name] === undefined))
    return <EmptyState title={t('like.empty')}>{t('like.emptyHelp')}</EmptyState>;
  return (
    <NoMatch title={t('like.noMatch')} filters={[...FILTERS]}>
      {t('like.noMatchHelp')}
    </NoMatch>
  );
}
