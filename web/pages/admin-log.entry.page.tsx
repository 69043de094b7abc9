/** One change: who made it, when, from where, and both sides of all that it touched. */
import { readDetail } from '@core/admin-actions.ts';
import { formatDateTime } from '@core/time-text.ts';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { actionText, targetText } from '@/features/admin-log/action.ts';
import { FieldName, WholeDifference } from '@/features/admin-log/difference.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/admin-log/$id');

export function AdminLogDrawer() {
  const { t } = useTranslation();
  const row = route.useLoaderData();
  const { timeZone } = useTimeRules();
  const close = useCloseDrawer();
  const { differences, facts } = readDetail(row.detail);
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={actionText(row.action, t)} sub={`${row.action} · #${row.id}`} />
        <DrawerBody aria-label={actionText(row.action, t)}>
          <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
            <Fact
              label={t('adminLog.time')}
            >{`${formatDateTime(row.created_at, timeZone)} ${timeZone}`}</Fact>
            <Fact label={t('adminLog.actor')}>{`${row.actor_name || '-'} (#${row.actor_id})`}</Fact>
            <Fact label={t('adminLog.from')}>{row.ip || t('adminLog.machine')}</Fact>
            <Fact label={t('adminLog.target')}>{targetText(row, t)}</Fact>
            {facts.map(({ name, value }) => (
              <Fact key={name} label={<FieldName name={name} />}>
                {value}
              </Fact>
            ))}
          </dl>
          <h2 className="mt-5 border-t border-line pt-4 text-base font-semibold">{t('adminLog.changes')}</h2>
          {differences.length === 0 ? (
            <p className="mt-1 text-sm text-muted">{t('adminLog.noChanges')}</p>
          ) : (
            <dl className="mt-1">
              {differences.map((difference) => (
                <WholeDifference key={difference.name} difference={difference} />
              ))}
            </dl>
          )}
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}

function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 break-all">{children}</dd>
    </>
  );
}
