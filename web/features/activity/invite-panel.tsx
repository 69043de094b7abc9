/** Inviting others: the link, and what came of it. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { CopyField } from '@/components/copy-field.tsx';
import { Money } from '@/components/money.tsx';
import { Panel } from '@/features/wallet/panel.tsx';
import { withQuery } from '@/lib/api.ts';
import type { DataOf } from '@/lib/calls.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function InvitePanel({ account }: { account: DataOf<'get', '/api/user/self'> }) {
  const { t } = useTranslation();
  const { origin, status } = useBoot();
  const { quota_for_inviter, quota_for_invitee, quota_for_new_user } = status;
  return (
    <Panel title={t('activity.invite')}>
      <CopyField
        label={t('personal.inviteLink')}
        value={origin + withQuery('/register', { aff: account.aff_code })}
      />
      <dl className="mt-3.5 grid gap-1.5 border-t border-line pt-2.5 text-sm">
        {quota_for_inviter > 0 && (
          <Fact label={t('activity.forInviter')}>
            <Money quota={quota_for_inviter} />
          </Fact>
        )}
        {quota_for_invitee > 0 && (
          <Fact label={t('activity.forInvitee')}>
            <Money quota={quota_for_invitee + quota_for_new_user} />
          </Fact>
        )}
        <Fact label={t('user.invited')}>
          <span className="tabular-nums">{formatNumber(account.aff_count)}</span>
        </Fact>
      </dl>
      <p className="mt-2.5 text-sm">
        <Link to="/personal" hash="rewards" className="link hit">
          {t('activity.inviteMore')}
        </Link>
      </p>
    </Panel>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
