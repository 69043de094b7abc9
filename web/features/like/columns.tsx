/** What the list of likes shows of one. */
import { MARK } from '@modules/like/facts.ts';
import { Link } from '@tanstack/react-router';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { Time } from '@/components/time.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

type Like = DataOf<'get', '/api/task/like/admin'>['items'][number];

/** What its task is called. */
export const titleOf = ({ title, task_id }: Like): string => title || task_id;

export function useLikeColumns(): Column<Like>[] {
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
            {...openWith({ sub: `#${id}` })}
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
