/** What an invitation earns both, and when. */
import { formatAmount } from '@core/money.ts';
import { Gap } from '@/components/gap.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export type Terms = DataOf<'get', '/api/user/aff/terms'>;

/** Nothing where an invitation earns nobody anything. */
export function TermsLine({ terms }: { terms: Terms }) {
  const { t } = useTranslation();
  const boot = useBoot();
  const amount = (quota: number) => formatAmount(quota, moneyRules(boot)).text;
  const { inviter_quota: inviter, invitee_quota: invitee, trigger, daily_limit } = terms;
  if (inviter === 0 && invitee === 0) return null;
  const newUser = boot.status.quota_for_new_user;
  const when = t(`invitation.when.${trigger}`);
  return (
    <div>
      <p className="text-sm">
        {inviter === 0
          ? t('invitation.guestEarns', { when, invitee: amount(invitee) })
          : invitee === 0
            ? t('invitation.youEarn', { when, inviter: amount(inviter) })
            : t('invitation.bothEarn', { when, inviter: amount(inviter), invitee: amount(invitee) })}
        <Gap />
        {newUser > 0 && t('invitation.newUser', { newUser: amount(newUser) })}
      </p>
      {inviter > 0 && daily_limit > 0 && (
        <p className="text-xs text-muted">{t('invitation.limit', { count: daily_limit })}</p>
      )}
    </div>
  );
}
