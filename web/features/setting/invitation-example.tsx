/** What the settings of invitations come to, as an example of two users. */
import { INVITATION_TRIGGERS } from '@core/invitations.ts';
import { formatAmount } from '@core/money.ts';
import { Gap } from '@/components/gap.tsx';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isWhole } from '@/lib/whole.ts';
import type { OptionField } from './field.ts';
import type { Settings } from './use-settings.ts';

interface InvitationExampleProps {
  fields: readonly OptionField[];
  settings: Settings;
}

/** By what stands in the fields, saved or not; nothing while that is no number. */
export function InvitationExample({ fields, settings }: InvitationExampleProps) {
  const { t } = useTranslation();
  const boot = useBoot();
  const textOf = (key: string): string => {
    const field = fields.find((one) => one.key === key);
    return field ? settings.text(field) : '';
  };
  const [inviter, invitee] = [textOf('QuotaForInviter'), textOf('QuotaForInvitee')];
  const trigger = INVITATION_TRIGGERS.find((one) => one === textOf('aff_quota.reward_trigger'));
  if (!isWhole(inviter) || !isWhole(invitee) || !trigger) return null;
  const newUser = boot.status.quota_for_new_user;
  const amount = (quota: number) => formatAmount(quota, moneyRules(boot)).text;
  return (
    <p className="border-b border-line px-4 py-3 text-sm text-muted">
      <strong className="font-medium text-text">{t('setting.example')}</strong>{' '}
      {t('setting.inviteExample', {
        when: t(`setting.inviteWhen.${trigger}`),
        inviter: amount(Number(inviter)),
        invitee: amount(Number(invitee)),
      })}
      <Gap />
      {newUser > 0 && t('setting.inviteNewUser', { newUser: amount(newUser) })}
    </p>
  );
}
