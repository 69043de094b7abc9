/** What a row of the list shows. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { Time } from '@/components/time.tsx';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type ActionRow, actionText, targetText } from './action.ts';
import { ShortDifference } from './difference.tsx';

export function useActionColumns(): Column<ActionRow>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'time',
        sort: 'time',
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
        sort: 'action',
        opens: true,
        header: t('adminLog.action'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <Link
            to="/admin-log/$id"
            params={{ id: String(row.id) }}
            {...openWith({ title: actionText(row.action, t), sub: `${row.action} · #${row.id}` })}
            className="quiet-link"
          >
            {actionText(row.action, t)}
          </Link>
        ),
      },
      {
        id: 'target',
        sort: 'target',
        header: t('adminLog.target'),
        card: 'fact',
        className: 'max-w-56 truncate',
        cell: (row) => <span title={row.target}>{targetText(row, t)}</span>,
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
