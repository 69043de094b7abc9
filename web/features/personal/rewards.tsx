/** Inviting others, and what came of it. */
import { formatNumber } from '@core/money.ts';
import { CopyField } from '@/components/copy-field.tsx';
import { Money } from '@/components/money.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { withQuery } from '@/lib/api.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps } from './personal.ts';
import { Row, ValueLine } from './section.tsx';

export function RewardsSection({ personal: { account } }: SectionProps) {
  const { t } = useTranslation();
  const { origin, status } = useBoot();
  const isOpen = status.WebRegisterEnabled || status.enabled_phone_register;
  return (
    <>
      <div className="border-b border-line px-4 py-3">
        <CopyField
          label={t('personal.inviteLink')}
          value={origin + withQuery('/register', { aff: account.aff_code })}
          help={t('personal.inviteHelp')}
        />
        {!isOpen && (
          <Notice tone="mind" className="mt-3">
            {t('personal.inviteClosed')}
          </Notice>
        )}
      </div>
      <Row fact label={t('user.affCode')}>
        <ValueLine value={<code className="font-mono">{account.aff_code}</code>} />
      </Row>
      <Row fact label={t('user.invited')}>
        <ValueLine value={<span className="tabular-nums">{formatNumber(account.aff_count)}</span>} />
      </Row>
      <Row fact label={t('personal.rewardLeft')}>
        <ValueLine value={<Money quota={account.aff_quota} />} />
      </Row>
      <Row fact label={t('personal.rewardHistory')}>
        <ValueLine value={<Money quota={account.aff_history_quota} />} />
      </Row>
    </>
  );
}
