/** What is left and what was used. */
import { formatNumber } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps } from './personal.ts';
import { Row, ValueLine } from './section.tsx';

const WALLET = '/topup';

export function BalanceSection({ personal: { account } }: SectionProps) {
  const { t } = useTranslation();
  const hasWallet = WALLET in useRouter().routesByPath;
  return (
    <>
      <Row fact={!hasWallet} label={t('user.left')} help={t('personal.leftHelp')}>
        <ValueLine value={<Money quota={account.quota} className="text-lg font-semibold" />}>
          {hasWallet && (
            <a href={WALLET} className={buttonVariants()}>
              {t('personal.wallet')}
            </a>
          )}
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
