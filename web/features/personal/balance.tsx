/** What is left and what was used. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps } from './personal.ts';
import { Row, ValueLine } from './section.tsx';

export function BalanceSection({ personal: { account } }: SectionProps) {
  const { t } = useTranslation();
  return (
    <>
      <Row label={t('user.left')} help={t('personal.leftHelp')}>
        <ValueLine value={<Money quota={account.quota} className="text-lg font-semibold" />}>
          <Link to="/topup" className={buttonVariants()}>
            {t('personal.wallet')}
          </Link>
        </ValueLine>
      </Row>
      <Row fact label={t('user.used')}>
        <ValueLine value={<Money quota={account.used_quota} />} />
      </Row>
      <Row fact label={t('user.requests')}>
        <ValueLine value={<span className="tabular-nums">{formatNumber(account.request_count)}</span>} />
      </Row>
    </>
  );
}
