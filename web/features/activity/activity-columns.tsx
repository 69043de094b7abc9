/** What a row of the list of activities shows, and what can be done with it. */
import { formatNumber } from '@core/money.ts';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { Pencil, Power, Send } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { useNow } from '@/lib/clock.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Activity, activityStates, rewardObstacle, stateOf } from './activity.ts';
import { ActivityTimes } from './activity-times.tsx';

export function useActivityColumns(): Column<Activity>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<Activity>[] => [
      {
        id: 'id',
        sort: 'id',
        header: 'ID',
        align: 'right',
        className: 'font-mono text-xs text-muted',
        cell: (activity) => activity.id,
      },
      {
        id: 'name',
        sort: 'name',
        opens: true,
        header: t('activity.name'),
        card: 'title',
        fixed: true,
        className: 'max-w-60 truncate font-medium',
        cell: (activity) => <Name activity={activity} />,
      },
      {
        id: 'status',
        header: t('activity.status'),
        card: 'status',
        cell: (activity) => <ActivityStateNow activity={activity} />,
      },
      {
        id: 'quota',
        sort: 'quota',
        header: t('activity.quota'),
        align: 'right',
        card: 'fact-end',
        cell: (activity) => <Money quota={activity.quota} />,
      },
      {
        id: 'rewarded',
        header: t('activity.rewarded'),
        align: 'right',
        className: 'tabular-nums',
        cell: (activity) => formatNumber(activity.rewarded),
      },
      {
        id: 'dates',
        sort: 'begins',
        header: t('activity.dates'),
        card: 'fact',
        className: 'text-muted',
        cell: (activity) => <ActivityTimes activity={activity} />,
      },
      {
        id: 'created',
        sort: 'created',
        header: t('activity.createdAt'),
        className: 'text-muted',
        cell: (activity) => <Time at={activity.created_at} relative />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (activity) => <RowActions activity={activity} />,
      },
    ],
    [t],
  );
}

function Name({ activity }: { activity: Activity }) {
  return (
    <Link
      to="/activity-config/edit/$id"
      params={{ id: String(activity.id) }}
      {...openWith({ sub: activity.name })}
      title={activity.desc}
      className="quiet-link"
    >
      {activity.name}
    </Link>
  );
}

function ActivityStateNow({ activity }: { activity: Activity }) {
  return <State look={activityStates[stateOf(activity, useNow())]} />;
}

function RowActions({ activity }: { activity: Activity }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const navigate = useNavigate();
  const obstacle = rewardObstacle(activity, useNow());
  const params = { id: String(activity.id) };
  const toggle = async () => {
    try {
      await api.send('PUT', '/api/activity/:id', { params, body: { status: !activity.status } });
      notify({ tone: 'ok', text: t('activity.updated') });
    } catch (error) {
      notify(failureNotice(error, t));
    }
    await router.invalidate();
  };
  return (
    <ActionMenu
      label={t('table.more', { name: activity.name })}
      actions={[
        {
          label: t('activity.sendReward'),
          icon: Send,
          obstacle: obstacle && t(obstacle),
          run: () =>
            void navigate({ to: '/activity-config/reward/$id', params, ...openWith({ sub: activity.name }) }),
        },
        {
          label: t('activity.edit'),
          icon: Pencil,
          run: () =>
            void navigate({ to: '/activity-config/edit/$id', params, ...openWith({ sub: activity.name }) }),
        },
        {
          label: t(activity.status ? 'activity.end' : 'activity.resume'),
          icon: Power,
          run: () => void toggle(),
        },
      ]}
    />
  );
}
