/** Whose rows an administrator looks at. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Account } from './load.ts';

export function AccountLine({ account }: { account: Account }) {
  const { t } = useTranslation();
  return (
    <p className="mb-3 flex flex-wrap gap-x-5 gap-y-1 rounded-md border border-line bg-surface px-4 py-2 text-sm">
      <Link to="/user/edit/$id" params={{ id: String(account.id) }} className="link font-semibold">
        {account.username}
      </Link>
      <span>
        <span className="text-muted">{t('log.account.left')}</span> <Money quota={account.quota} />
      </span>
      <span>
        <span className="text-muted">{t('log.account.used')}</span> <Money quota={account.used_quota} />
      </span>
      <span>
        <span className="text-muted">{t('log.account.requests')}</span>{' '}
        <span className="tabular-nums">{formatNumber(account.request_count)}</span>
      </span>
    </p>
  );
}
