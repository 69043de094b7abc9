/** What a row of everyone's orders shows, and what can be done with it. */
import { Link } from '@tanstack/react-router';
import { Ban, CircleCheck, RefreshCw, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { Time } from '@/components/time.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type AnyOrder, completeObstacle, type ReasonAsked, refundObstacle, voidObstacle } from './order.ts';
import { orderColumns } from './order-columns.tsx';

type Check = (order: AnyOrder) => void;
type AskReason = (asked: ReasonAsked) => void;

export function useAllOrderColumns(check: Check, askReason: AskReason): Column<AnyOrder>[] {
  const { t } = useTranslation();
  return useMemo((): Column<AnyOrder>[] => {
    const { time, way, number, state, quota, money } = orderColumns<AnyOrder>(t);
    return [
      time,
      {
        id: 'user',
        sort: 'user',
        header: t('payment.user'),
        card: 'title',
        fixed: true,
        cell: ({ user_id, username }) => (
          <Link to="/user" search={{ q: String(user_id) }} className="quiet-link">
            {username || user_id}
          </Link>
        ),
      },
      { ...way, card: undefined },
      number,
      state,
      quota,
      money,
      {
        id: 'reason',
        header: t('payment.reason'),
        className: 'max-w-60 truncate',
        cell: (order) => {
          const all = [order.void_reason, order.reason, order.reversed_reason];
          const reasons = all.filter((text) => text !== '').join(' · ');
          return <span title={reasons}>{reasons}</span>;
        },
      },
      {
        id: 'completed',
        sort: 'completed',
        header: t('payment.completed'),
        className: 'text-muted',
        cell: ({ completed_at }) => <Time at={completed_at} />,
      },
      {
        id: 'reference',
        header: t('payment.reference'),
        cell: ({ provider_ref }) => (
          <code title={provider_ref} className="block max-w-40 truncate font-mono text-xs text-muted">
            {provider_ref}
          </code>
        ),
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (order) => <RowActions order={order} check={check} askReason={askReason} />,
      },
    ];
  }, [t, check, askReason]);
}

function RowActions({ order, check, askReason }: { order: AnyOrder; check: Check; askReason: AskReason }) {
  const { t } = useTranslation();
  const said = (key: ReturnType<typeof refundObstacle>) => key && t(key);
  return (
    <ActionMenu
      label={t('table.more', { name: order.trade_no })}
      actions={[
        { label: t('payment.check'), icon: RefreshCw, run: () => check(order) },
        {
          label: t('payment.complete'),
          icon: CircleCheck,
          obstacle: said(completeObstacle(order)),
          run: () => askReason({ deed: 'complete', order }),
        },
        {
          label: t('payment.void'),
          icon: Ban,
          obstacle: said(voidObstacle(order)),
          run: () => askReason({ deed: 'void', order }),
        },
        {
          label: t('payment.refund'),
          icon: Undo2,
          danger: true,
          separated: true,
          obstacle: said(refundObstacle(order)),
          run: () => askReason({ deed: 'refund', order }),
        },
      ]}
    />
  );
}
