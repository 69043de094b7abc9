/** Where nothing can be bought: not here, and not where the operator sells codes either. */
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Panel } from './panel.tsx';

export function NoPaymentPanel() {
  const { t } = useTranslation();
  if (useBoot().status.top_up_link) return null;
  return (
    <Panel title={t('payment.title')}>
      <p className="text-sm text-muted">{t('wallet.noPayment')}</p>
    </Panel>
  );
}
