/** Inviting others: the link, what it earns, and who came by it. */
import { formatNumber } from '@core/money.ts';
import { CopyField } from '@/components/copy-field.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { type Invited, InvitedList } from '@/features/invitation/invited-list.tsx';
import { type Terms, TermsLine } from '@/features/invitation/terms.tsx';
import { Panel } from '@/features/wallet/panel.tsx';
import { withQuery } from '@/lib/api.ts';
import type { DataOf } from '@/lib/calls.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface InvitePanelProps {
  account: DataOf<'get', '/api/user/self'>;
  terms: Terms;
  invited: Invited;
}

export function InvitePanel({ account, terms, invited }: InvitePanelProps) {
  const { t } = useTranslation();
  const { origin, status } = useBoot();
  const isOpen = status.WebRegisterEnabled || status.enabled_phone_register;
  return (
    <Panel title={t('activity.invite')}>
      <div className="grid gap-3">
        <CopyField
          label={t('personal.inviteLink')}
          value={origin + withQuery('/register', { aff: account.aff_code })}
        />
        <TermsLine terms={terms} />
        {!isOpen && <Notice tone="mind">{t('personal.inviteClosed')}</Notice>}
        <p className="flex justify-between gap-4 border-t border-line pt-2.5 text-sm">
          <span className="text-muted">{t('user.invited')}</span>
          <span className="tabular-nums">{formatNumber(account.aff_count)}</span>
        </p>
      </div>
      <div className="not-empty:-mx-4 not-empty:-mb-4">
        <InvitedList first={invited} />
      </div>
    </Panel>
  );
}
