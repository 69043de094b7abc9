/** What a user has, and what he was ever given. */
import { Money } from '@/components/money.tsx';
import { TransferButton } from '@/features/invitation/transfer-button.tsx';
import { Panel } from '@/features/wallet/panel.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function Balances({ account }: { account: DataOf<'get', '/api/user/self'> }) {
  const { t } = useTranslation();
  const acts = useMay('act');
  const waiting = account.aff_quota + account.activity_quota;
  return (
    <Panel title={t('activity.balances')}>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3.5">
        <Figure label={t('activity.main')} quota={account.quota} help={t('activity.mainHelp')} />
        <Figure
          label={t('activity.reward')}
          quota={account.aff_quota}
          help={t('activity.ever')}
          ever={account.aff_history_quota}
        />
        <Figure
          label={t('activity.activityQuota')}
          quota={account.activity_quota}
          help={t('activity.ever')}
          ever={account.activity_history_quota}
        />
        <Figure
          label={t('activity.fuelPack')}
          quota={account.history_fuel_pack_quota}
          help={t('activity.fuelPackHelp')}
        />
      </dl>
      {acts && waiting > 0 && (
        <div className="mt-3.5 border-t border-line pt-3.5">
          <TransferButton waiting={waiting} />
        </div>
      )}
    </Panel>
  );
}

interface FigureProps {
  label: string;
  quota: number;
  help: string;
  /** Quota units that were ever given, after `help`. */
  ever?: number;
}

function Figure({ label, quota, help, ever }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd>
        <Money quota={quota} className="block text-xl font-semibold" />
        <span className="text-xs text-muted">
          {help}
          {ever !== undefined && <Money quota={ever} />}
        </span>
      </dd>
    </div>
  );
}
