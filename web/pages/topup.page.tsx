/** The wallet: what there is, and how to add to it. */
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '@/components/page-header.tsx';
import { StatementLink } from '@/features/statement/statement-link.tsx';
import { BalancePanel } from '@/features/wallet/balance-panel.tsx';
import { RedeemPanel } from '@/features/wallet/redeem-panel.tsx';
import { RewardPanel } from '@/features/wallet/reward-panel.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/topup');

export function WalletPage() {
  const { t } = useTranslation();
  const { account } = route.useLoaderData();
  return (
    <>
      <PageHeader title={t('wallet.title')} help={t('wallet.help')} actions={<StatementLink />} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 md:grid-cols-2">
        <BalancePanel account={account} />
        <RedeemPanel />
        <RewardPanel account={account} />
      </div>
    </>
  );
}
