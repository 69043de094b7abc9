/** Everyone's orders, and what an administrator can do about them. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { useAllOrderColumns } from '@/features/payment/all-orders-columns.tsx';
import type { ReasonAsked } from '@/features/payment/order.ts';
import { NoOrders, OrderFilters } from '@/features/payment/order-filters.tsx';
import { useCheckOrder } from '@/features/payment/use-check-order.ts';
import { late } from '@/lib/late.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadOrders } from '../features/payment/load.ts';

const OrderReason = late(() =>
  import('@/features/payment/order-reason.tsx').then((module) => module.OrderReason),
);

const route = getRouteApi('/_console/payment');

export function PaymentPage() {
  const { t } = useTranslation();
  const { page } = route.useLoaderData();
  const refresh = useRefresh();
  const check = useCheckOrder();
  const [asked, setAsked] = useState<ReasonAsked | null>(null);
  const columns = useAllOrderColumns(check, setAsked);
  return (
    <>
      <PageHeader title={t('payment.all')} help={t('payment.allHelp')} />
      <OrderFilters />
      <DataTable
        name="payment"
        label={t('payment.all')}
        columns={columns}
        page={page}
        rowId={(order) => String(order.id)}
        rowName={(order) => order.trade_no}
        summary={t('payment.ordersCount', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoOrders />}
        onRefresh={() => void refresh()}
      />
      {asked && <OrderReason {...asked} onClose={() => setAsked(null)} />}
    </>
  );
}
