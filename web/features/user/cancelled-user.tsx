/** The drawer of a cancelled account. It can only be read, and by root erased. */
import { formatNumber } from '@core/money.ts';
import { hasRole } from '@core/roles.ts';
import { formatDateTime } from '@core/time-text.ts';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { BoundAccounts } from './bound-accounts.tsx';
import { useUserActions } from './use-user-actions.ts';
import { isErased, type User } from './user.ts';
import { UserStatus } from './user-status.tsx';

export function CancelledUser({ user }: { user: User }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const { user: viewer } = useBoot();
  const { erase } = useUserActions();
  const close = useCloseDrawer();
  const time = (at: number | null) => (at ? formatDateTime(at, timeZone) : '-');
  const mayErase = viewer !== null && hasRole(viewer.role, 'root') && !isErased(user);
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('user.cancelledTitle')} sub={`${user.username} · #${user.id}`} />
        <DrawerBody aria-label={t('user.cancelledTitle')}>
          <div className="grid gap-5">
            <Notice>{t(isErased(user) ? 'user.erasedHelp' : 'user.cancelledHelp')}</Notice>
            <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
              <Fact name={t('user.status')}>
                <UserStatus user={user} />
              </Fact>
              <Fact name={t('user.cancelledAt')}>{time(user.DeletedAt)}</Fact>
              {isErased(user) && <Fact name={t('user.erasedAt')}>{time(user.erased_at)}</Fact>}
              <Fact name={t('user.created')}>{time(user.created_at)}</Fact>
              <Fact name={t('user.group')}>{user.group}</Fact>
              <Fact name={t('user.left')}>
                <Money quota={user.quota} />
              </Fact>
              <Fact name={t('user.used')}>
                <Money quota={user.used_quota} />
              </Fact>
              <Fact name={t('user.requests')}>{formatNumber(user.request_count)}</Fact>
              {user.remarks !== '' && <Fact name={t('user.remarks')}>{user.remarks}</Fact>}
            </dl>
            {!isErased(user) && <BoundAccounts user={user} />}
            {mayErase && (
              <section aria-label={t('user.erase')} className="border-t border-line pt-4">
                <h2 className="mb-2 text-base font-semibold">{t('user.erase')}</h2>
                <p className="mb-3 text-sm text-muted">{t('user.eraseBody')}</p>
                <Button variant="danger" onClick={() => void erase(user)}>
                  {t('user.erase')}
                </Button>
              </section>
            )}
          </div>
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words tabular-nums">{children}</dd>
    </>
  );
}
