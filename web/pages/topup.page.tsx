/** The wallet: what there is, and how to add to it. */
import { CANCEL_FIELD } from '@modules/payment/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { OwnSiteNotice } from '@/components/own-site-notice.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { OwnOrders } from '@/features/payment/own-orders.tsx';
import { PayPanel } from '@/features/payment/pay-panel.tsx';
import { ReturnNotice } from '@/features/payment/return-notice.tsx';
import { StatementLink } from '@/features/statement/statement-link.tsx';
import { BalancePanel } from '@/features/wallet/balance-panel.tsx';
import { NoPaymentPanel } from '@/features/wallet/no-payment-panel.tsx';
import { RedeemPanel } from '@/features/wallet/redeem-panel.tsx';
import { RewardPanel } from '@/features/wallet/reward-panel.tsx';
import { useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadWallet } from '../features/payment/load.ts';

const route = getRouteApi('/_console/topup');

export function WalletPage() {
  const { t } = useTranslation();
  const { account, groups, methods, orders, returned } = route.useLoaderData();
  const { [CANCEL_FIELD]: cancelled, order } = route.useSearch();
  const acts = useMay('act');
  return (
    <>
      <PageHeader title={t('wallet.title')} help={t('wallet.help')} actions={<StatementLink />} />
      <OwnSiteNotice />
      {returned !== undefined && <ReturnNotice order={returned} cancelled={cancelled !== undefined} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 md:grid-cols-2">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <BalancePanel
            account={account}
            callRatio={groups[account.group]?.ratio ?? 1}
            topupRatio={methods?.group_ratio ?? 1}
          />
          {acts && <RedeemPanel />}
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          {acts && (methods ? <PayPanel methods={methods} /> : <NoPaymentPanel />)}
          <RewardPanel account={account} />
        </div>
      </div>
      {orders && <OwnOrders page={orders} isOne={order !== undefined} />}
    </>
  );
}
