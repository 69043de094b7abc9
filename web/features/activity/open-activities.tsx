/** What a user can take part in now. */
import { NO_LIMIT } from '@modules/activity/facts.ts';
import { Money } from '@/components/money.tsx';
import { State, Status } from '@/components/status.tsx';
import { Panel } from '@/features/wallet/panel.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { activityStates, type OpenActivity } from './activity.ts';
import { ActivityTimes } from './activity-times.tsx';

export function OpenActivities({ activities }: { activities: readonly OpenActivity[] }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('activity.open')}>
      {activities.length === 0 ? (
        <p className="text-sm text-muted">{t('activity.openNone')}</p>
      ) : (
        <ul className="-my-3.5 divide-y divide-line">
          {activities.map((activity) => (
            <li key={activity.id} className="py-3.5">
              <Entry activity={activity} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Entry({ activity }: { activity: OpenActivity }) {
  const { t } = useTranslation();
  return (
    <>
      <div className="flex items-baseline justify-between gap-4">
        <h3 className="min-w-0 text-base font-medium break-words">{activity.name}</h3>
        {activity.quota > 0 && <Money quota={activity.quota} className="font-semibold" />}
      </div>
      <p className="mt-1 text-sm break-words whitespace-pre-line">{activity.desc}</p>
      <p className="mt-1.5 flex flex-wrap items-baseline gap-x-4 text-xs text-muted">
        {activity.joined ? (
          <Status tone="gone">{t('activity.joined')}</Status>
        ) : (
          <State look={activityStates.open} />
        )}
        {(activity.start_date !== NO_LIMIT || activity.end_date !== NO_LIMIT) && (
          <ActivityTimes activity={activity} />
        )}
      </p>
    </>
  );
}
