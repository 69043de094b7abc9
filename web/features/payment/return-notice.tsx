/** What became of the order that a payer comes back from. */
import { formatAmount } from '@core/money.ts';
import { CANCEL_FIELD, RETURN_FIELD } from '@modules/payment/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { SearchLink } from '@/components/search-link.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Order } from './order.ts';

const LOOK_MS = 3_000;
/** Five minutes: whoever waits longer is told that he need not. */
const LOOKS_MAX = 100;

/** `order` is null where nobody knows it; `cancelled` when its payer has turned back, as he says. */
export function ReturnNotice({ order, cancelled }: { order: Order | null; cancelled: boolean }) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  if (order === null) return <Told tone="warn">{t('payment.unknownOrder')}</Told>;
  const amount = formatAmount(order.quota, rules).text;
  switch (order.status) {
    case 'pending':
      if (cancelled) return <Told tone="warn">{t('payment.turnedBack')}</Told>;
      return <Waiting key={order.status} order={order} said={t('payment.waiting')} />;
    case 'success':
    case 'reinstated':
      return <Told tone="ok">{t('payment.arrived', { amount })}</Told>;
    case 'expired':
      return <Waiting key={order.status} order={order} said={t('payment.notPaid')} />;
    case 'failed':
      return <Told tone="warn">{t('payment.refused')}</Told>;
    case 'refunded':
    case 'disputed':
    case 'owed': {
      const isAll = order.reversed_money === order.money;
      return <Told tone="warn">{t(isAll ? 'payment.takenBack' : 'payment.partlyTakenBack')}</Told>;
    }
    case 'voided':
      return <Told tone="warn">{t(order.paid_at > 0 ? 'payment.voidedPaid' : 'payment.voidedUnpaid')}</Told>;
  }
}

function Told({ tone, children }: { tone: 'ok' | 'warn'; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div role="status" className="mb-4">
      <Notice
        tone={tone}
        end={
          <SearchLink change={{ [RETURN_FIELD]: undefined, [CANCEL_FIELD]: undefined }} className="link hit">
            {t('payment.gotIt')}
          </SearchLink>
        }
      >
        {children}
      </Notice>
    </div>
  );
}

/** Looks until the provider has said something, and then shows the page as it is. */
function Waiting({ order: { trade_no, status }, said }: { order: Order; said: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const [looks, setLooks] = useState(0);
  const isOver = looks >= LOOKS_MAX;
  useEffect(() => {
    if (isOver) return;
    const look = async () => {
      // A look that fails is made again, as one that finds nothing.
      const found = await api
        .get('/api/user/topup/self', { query: { trade_no, page_size: 1 } })
        .catch(() => null);
      const now = found?.items[0]?.status;
      if (now !== undefined && now !== status) await router.invalidate();
      setLooks(looks + 1);
    };
    const timer = setTimeout(() => void look(), LOOK_MS);
    return () => clearTimeout(timer);
  }, [api, router, trade_no, status, looks, isOver]);
  return (
    <div role="status" className="mb-4">
      <Notice
        tone="plain"
        end={isOver && <LinkButton onClick={() => setLooks(0)}>{t('payment.lookAgain')}</LinkButton>}
      >
        {isOver ? t('payment.stillWaiting') : said}{' '}
        <code className="font-mono text-xs break-all text-muted">{trade_no}</code>
      </Notice>
    </div>
  );
}
