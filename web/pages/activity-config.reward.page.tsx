/** Rewards chosen users for an activity, and shows what becomes of each, also to whoever comes back to it. */
import { formatAmount } from '@core/money.ts';
import { REWARDED_AT_ONCE } from '@modules/activity/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { isUnderWay, rewardObstacle } from '@/features/activity/activity.ts';
import { DispatchDrawer } from '@/features/activity/dispatch-drawer.tsx';
import { LastDispatch } from '@/features/activity/last-dispatch.tsx';
import { useDispatch } from '@/features/activity/use-dispatch.ts';
import { type Picked, UserPicker } from '@/features/activity/user-picker.tsx';
import { useNow } from '@/lib/clock.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/activity-config/reward/$id');

export function ActivityRewardDrawer() {
  const { t } = useTranslation();
  const { activity, last } = route.useLoaderData();
  const rules = moneyRules(useBoot());
  const api = useApi();
  const confirm = useConfirm();
  const close = useCloseDrawer();
  const obstacle = rewardObstacle(activity, useNow());
  const { dispatch, follow } = useDispatch(activity, last);
  const [showsResults, setShowsResults] = useState(last !== null && isUnderWay(last));
  const cost = (count: number) => ({
    count,
    each: formatAmount(activity.quota, rules).text,
    total: formatAmount(Math.min(activity.quota * count, Number.MAX_SAFE_INTEGER), rules).text,
  });
  const form = useForm<{ users: Picked[] }>({
    initial: { users: [] },
    validate: ({ users }) => ({ users: usersBad(users.length) }),
    submit: async ({ users }) => {
      const params = { id: String(activity.id) };
      const body = { user_ids: users.map(({ id }) => id) };
      await confirm({
        title: t('activity.confirmTitle', { count: users.length }),
        body: t('activity.cost', cost(users.length)),
        action: t('activity.sendReward'),
        work: async () => {
          await api.send('POST', '/api/activity/:id/dispatch', { params, body });
          await follow();
          setShowsResults(true);
        },
      });
    },
  });

  function usersBad(count: number): string | undefined {
    if (count === 0) return t('activity.usersNone');
    return count > REWARDED_AT_ONCE ? t('activity.usersMany', { max: REWARDED_AT_ONCE }) : undefined;
  }

  if (showsResults && dispatch) {
    const choose = (value: Picked[]) => {
      form.set('users', value);
      setShowsResults(false);
    };
    return (
      <DispatchDrawer
        name={activity.name}
        dispatch={dispatch}
        onMore={obstacle ? undefined : choose}
        onClose={close}
      />
    );
  }
  const { users } = form.values;
  return (
    <DrawerForm
      title={t('activity.sendReward')}
      sub={activity.name}
      form={form}
      submitLabel={t('activity.sendReward')}
      onClose={close}
    >
      {obstacle && <Notice tone="warn">{t(obstacle)}</Notice>}
      {dispatch && <LastDispatch dispatch={dispatch} onShow={() => setShowsResults(true)} />}
      <UserPicker
        id={form.id('users')}
        value={users}
        onChange={(value) => form.set('users', value)}
        error={form.error('users')}
      />
      <p className="text-sm" role="status">
        {users.length > 0 && t('activity.cost', cost(users.length))}
      </p>
    </DrawerForm>
  );
}
