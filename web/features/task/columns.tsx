/** What a row of the list shows. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Progress } from './progress.tsx';
import { actionText, elapsedOf, stateOf, type Task } from './task.ts';

export function useTaskColumns(seesAll: boolean): Column<Task>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const all: (Column<Task> | false)[] = [
      {
        id: 'submitted',
        sort: 'submitted',
        header: t('task.submitted'),
        fixed: true,
        card: 'meta',
        className: 'text-muted',
        cell: (task) => <Time at={task.submit_time} />,
      },
      {
        id: 'finished',
        sort: 'finished',
        header: t('task.finished'),
        className: 'text-muted',
        cell: (task) => (task.finish_time === 0 ? '-' : <Time at={task.finish_time} />),
      },
      { id: 'elapsed', header: t('task.elapsed'), align: 'right', card: 'fact-end', cell: Elapsed },
      seesAll && { id: 'user', header: t('task.user'), card: 'fact', cell: (task) => task.username },
      seesAll && {
        id: 'channel',
        sort: 'channel',
        header: t('task.channel'),
        align: 'right',
        cell: (task) => (task.channel_id === 0 ? '-' : `#${task.channel_id}`),
      },
      { id: 'platform', sort: 'platform', header: t('task.platform'), cell: (task) => task.platform },
      {
        id: 'action',
        sort: 'action',
        opens: true,
        header: t('task.action'),
        fixed: true,
        card: 'title',
        cell: (task) => (
          <Link
            to="/task/$id"
            params={{ id: task.task_id }}
            {...openWith({ title: actionText(task.action, t), sub: task.task_id })}
            className="quiet-link"
          >
            {actionText(task.action, t)}
          </Link>
        ),
      },
      {
        id: 'id',
        header: t('task.id'),
        className: 'max-w-28 truncate',
        cell: (task) => (
          <span className="font-mono text-xs" title={task.task_id}>
            {task.task_id}
          </span>
        ),
      },
      { id: 'state', sort: 'state', header: t('task.state'), card: 'status', cell: TaskState },
      {
        id: 'progress',
        sort: 'progress',
        header: t('task.progress'),
        align: 'right',
        // A card has room for one fact, and an administrator wants to know whose it is.
        ...(seesAll ? {} : { card: 'fact' as const }),
        cell: Progress,
      },
      { id: 'cost', sort: 'cost', header: t('task.cost'), align: 'right', cell: Cost },
      {
        id: 'reason',
        header: t('task.reason'),
        className: 'max-w-44 truncate text-muted',
        cell: (task) => <span title={task.fail_reason}>{task.fail_reason}</span>,
      },
    ];
    return all.filter((column) => column !== false);
  }, [t, seesAll]);
}

const TaskState = ({ status }: Task) => <State look={stateOf(status)} />;

function Elapsed(task: Task) {
  const { t } = useTranslation();
  const elapsed = elapsedOf(task);
  if (!elapsed) return '-';
  return (
    <Tag tone={elapsed.isSlow ? 'bad' : 'ok'}>{t('task.seconds', { n: formatNumber(elapsed.seconds) })}</Tag>
  );
}

/** What was given back costs nothing any more. */
function Cost({ quota, refunded }: Task) {
  const { t } = useTranslation();
  if (refunded === 0) return <Money quota={quota} />;
  return (
    <span className="inline-flex items-center gap-1.5" title={t('task.refunded')}>
      <del className="text-muted">
        <Money quota={quota} />
      </del>
      <Money quota={quota - refunded} />
    </span>
  );
}
