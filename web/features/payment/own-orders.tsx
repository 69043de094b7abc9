/** The account's own orders. */
import { formatNumber } from '@core/money.ts';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import type { Page } from '@/lib/list-search.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { methodText, type Order } from './order.ts';
import { OrderState, orderColumns } from './order-columns.tsx';
import { ORDERS_ID } from './order-link.tsx';

/** `isOne`: only the order that a link has named. */
export function OwnOrders({ page, isOne }: { page: Page<Order>; isOne: boolean }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const columns = useMemo(() => {
    const { time, way, number, state, quota, money } = orderColumns<Order>(t);
    return [time, way, number, { ...state, cell: StateAndReason }, quota, money];
  }, [t]);
  return (
    <div id={ORDERS_ID} className="mt-4 scroll-mt-16">
      <DataTable
        name="orders"
        label={t('payment.orders')}
        columns={columns}
        page={page}
        rowId={(order) => String(order.id)}
        rowName={(order) => methodText(order.method, t)}
        summary={
          <>
            <h2 className="font-semibold text-text">
              {t('payment.ordersCount', { count: page.total, n: formatNumber(page.total) })}
            </h2>
            {isOne && (
              <SearchLink change={{ order: undefined }} className="link hit">
                {t('payment.showAll')}
              </SearchLink>
            )}
          </>
        }
        empty={
          <EmptyState title={t(isOne ? 'payment.noMatch' : 'payment.none')}>
            {!isOne && t('payment.noneHelp')}
          </EmptyState>
        }
        onRefresh={() => void refresh()}
      />
    </div>
  );
}

/** Why it was voided or taken back, as an administrator has said it. */
function StateAndReason(order: Order) {
  const voided = order.status === 'voided' ? order.void_reason : '';
  const reasons = [voided, order.reversed_reason].filter((text) => text !== '').join(' · ');
  return (
    <>
      <OrderState order={order} />
      {reasons !== '' && (
        <span title={reasons} className="block max-w-60 truncate text-xs text-muted">
          {reasons}
        </span>
      )}
    </>
  );
}
