/** The account's own orders. */
import { formatNumber } from '@core/money.ts';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import type { Page } from '@/lib/list-search.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { methodText, type Order } from './order.ts';
import { orderColumns } from './order-columns.tsx';

export function OwnOrders({ page }: { page: Page<Order> }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const columns = useMemo(() => {
    const { time, way, number, state, quota, money } = orderColumns<Order>(t);
    return [time, way, number, state, quota, money];
  }, [t]);
  return (
    <div className="mt-4">
      <DataTable
        name="orders"
        label={t('payment.orders')}
        columns={columns}
        page={page}
        rowId={(order) => String(order.id)}
        rowName={(order) => methodText(order.method, t)}
        summary={
          <h2 className="font-semibold text-text">
            {t('payment.ordersCount', { count: page.total, n: formatNumber(page.total) })}
          </h2>
        }
        empty={<EmptyState title={t('payment.none')}>{t('payment.noneHelp')}</EmptyState>}
        onRefresh={() => void refresh()}
      />
    </div>
  );
}
