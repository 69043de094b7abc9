/** Inviting others, what came of it, and the way of all rewards to the balance. */
import { formatAmount, formatNumber } from '@core/money.ts';
import { CopyField } from '@/components/copy-field.tsx';
import { Money } from '@/components/money.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { InvitedList } from '@/features/invitation/invited-list.tsx';
import { TermsLine } from '@/features/invitation/terms.tsx';
import { TransferButton } from '@/features/invitation/transfer-button.tsx';
import { withQuery } from '@/lib/api.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps } from './personal.ts';
import { Row, ValueLine } from './section.tsx';

export function RewardsSection({ personal: { account, terms, invited } }: SectionProps) {
  const { t } = useTranslation();
  const boot = useBoot();
  const { origin, status } = boot;
  const isOpen = status.WebRegisterEnabled || status.enabled_phone_register;
  const amount = (quota: number) => formatAmount(quota, moneyRules(boot)).text;
  const waiting = account.aff_quota + account.activity_quota;
  const hasBoth = account.aff_quota > 0 && account.activity_quota > 0;
  const shares = { aff: amount(account.aff_quota), activity: amount(account.activity_quota) };
  return (
    <>
      <div className="grid gap-3 border-b border-line px-4 py-3">
        <CopyField
          label={t('personal.inviteLink')}
          value={origin + withQuery('/register', { aff: account.aff_code })}
          help={t('personal.inviteHelp')}
        />
        <TermsLine terms={terms} />
        {!isOpen && <Notice tone="mind">{t('personal.inviteClosed')}</Notice>}
      </div>
      <Row fact label={t('user.affCode')}>
        <ValueLine value={<code className="font-mono">{account.aff_code}</code>} />
      </Row>
      <Row fact label={t('user.invited')}>
        <ValueLine value={<span className="tabular-nums">{formatNumber(account.aff_count)}</span>} />
      </Row>
      <Row label={t('personal.rewardLeft')} help={hasBoth && t('invitation.byKind', shares)}>
        <ValueLine value={<Money quota={waiting} />}>
          <TransferButton waiting={waiting} />
        </ValueLine>
      </Row>
      <Row fact label={t('personal.rewardHistory')}>
        <ValueLine value={<Money quota={account.aff_history_quota + account.activity_history_quota} />} />
      </Row>
      <InvitedList first={invited} />
    </>
  );
}
