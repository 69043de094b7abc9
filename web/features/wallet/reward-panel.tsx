/** Rewards that wait beside the balance, and the way to more of them. */
import { Link } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import { TransferButton } from '@/features/invitation/transfer-button.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Panel } from './panel.tsx';

export function RewardPanel({ account }: { account: DataOf<'get', '/api/user/self'> }) {
  const { t } = useTranslation();
  const waiting = account.aff_quota + account.activity_quota;
  return (
    <Panel title={t('personal.rewardLeft')}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Money quota={waiting} className="text-lg font-semibold" />
        <TransferButton waiting={waiting} />
      </div>
      <p className="mt-2.5 text-sm">
        <Link to="/personal" hash="rewards" className="link hit">
          {t('invitation.invite')}
        </Link>
      </p>
    </Panel>
  );
}
