/** What is left, what was used, and at which group's prices. */
import { formatNumber } from '@core/money.ts';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Panel } from './panel.tsx';

interface BalancePanelProps {
  account: DataOf<'get', '/api/user/self'>;
  /** By which the prices of calls, and of quota, are multiplied for his group. */
  callRatio: number;
  topupRatio: number;
}

export function BalancePanel({ account, callRatio, topupRatio }: BalancePanelProps) {
  const { t } = useTranslation();
  return (
    <Panel title={t('wallet.balance')}>
      <p className="text-3xl font-semibold">
        <Money quota={account.quota} />
      </p>
      <p className="text-xs text-muted tabular-nums">
        {t('wallet.units', { count: account.quota, n: formatNumber(account.quota) })}
      </p>
      <dl className="mt-3.5 grid gap-1.5 border-t border-line pt-2.5 text-sm">
        <Fact label={t('wallet.used')}>
          <Money quota={account.used_quota} />
        </Fact>
        <Fact label={t('wallet.group')}>
          {account.group}
          {callRatio !== 1 && ` · ${t('wallet.callRatio', { ratio: String(callRatio) })}`}
          {topupRatio !== 1 && ` · ${t('wallet.topupRatio', { ratio: String(topupRatio) })}`}
        </Fact>
      </dl>
    </Panel>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 text-right break-words">{children}</dd>
    </div>
  );
}
