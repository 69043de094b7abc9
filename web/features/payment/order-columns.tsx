/** What a row of a list of orders shows. */

import { CopyButton } from '@/components/copy-button.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isNone, methodText, type Order, priceText, stateOf } from './order.ts';

/** The columns that everybody sees of his own orders. */
export const orderColumns = <Row extends Order>(
  t: TFunction,
): Record<'time' | 'number' | 'way' | 'quota' | 'money' | 'state', Column<Row>> => ({
  time: {
    id: 'created',
    sort: 'created',
    header: t('payment.created'),
    card: 'meta',
    className: 'text-muted',
    cell: (order) => <Created order={order} />,
  },
  number: {
    id: 'number',
    header: t('payment.number'),
    card: 'fact',
    cell: (order) => <Numbered order={order} />,
  },
  way: {
    id: 'way',
    sort: 'way',
    header: t('payment.by'),
    card: 'title',
    fixed: true,
    cell: (order) => methodText(order.method, t),
  },
  quota: {
    id: 'quota',
    sort: 'quota',
    header: t('payment.quota'),
    align: 'right',
    card: 'fact-end',
    cell: (order) => <Adds order={order} />,
  },
  money: {
    id: 'money',
    sort: 'money',
    header: t('payment.money'),
    align: 'right',
    className: 'tabular-nums',
    cell: (order) => <Price order={order} />,
  },
  state: {
    id: 'state',
    sort: 'state',
    header: t('payment.status'),
    card: 'status',
    cell: (order) => <OrderState order={order} />,
  },
});

/** On the phone the price stands with it: a card has no columns to spare. */
const Created = ({ order }: { order: Order }) => (
  <>
    <Time at={order.created_at} />
    <span className="tabular-nums md:hidden">
      {' · '}
      <Price order={order} />
    </span>
  </>
);

function Numbered({ order: { trade_no } }: { order: Order }) {
  const { t } = useTranslation();
  return (
    <span className="flex items-center gap-0.5">
      <code title={trade_no} className="font-mono text-xs text-muted">
        {trade_no.slice(0, 12)}
      </code>
      <CopyButton
        iconOnly
        variant="ghost"
        size="icon-sm"
        label={t('payment.copyNumber', { number: trade_no })}
        text={trade_no}
      />
    </span>
  );
}

const Price = ({ order: { money, currency } }: { order: Order }) => (
  <>{priceText(money, currency, useBoot().locale)}</>
);

/** What was credited, and why it is less than was ordered. */
function Adds({ order: { quota, code_lapsed, price_lapsed } }: { order: Order }) {
  const { t } = useTranslation();
  return (
    <>
      <Money quota={quota} />
      {code_lapsed && (
        <span title={t('payment.codeLapsedHelp')} className="block text-xs text-muted">
          {t('payment.codeLapsed')}
        </span>
      )}
      {price_lapsed && (
        <span title={t('payment.priceLapsedHelp')} className="block text-xs text-muted">
          {t('payment.priceLapsed')}
        </span>
      )}
    </>
  );
}

export function OrderState({ order }: { order: Order }) {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const { reversed_money, reversed_quota, currency } = order;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 max-md:flex-col max-md:items-end">
      <State look={stateOf(order)} />
      {!isNone(reversed_money) && (
        <span className="text-xs text-muted tabular-nums">
          {priceText(reversed_money, currency, locale)}
          {reversed_quota > 0 && (
            <>
              {' · '}
              {t('payment.tookBack')} <Money quota={reversed_quota} />
            </>
          )}
        </span>
      )}
    </span>
  );
}
