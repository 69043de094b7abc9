/** Rewards chosen users for an activity, then shows what became of each. */
import { formatAmount } from '@core/money.ts';
import { REWARDED_AT_ONCE } from '@modules/activity/facts.ts';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { type Dispatch, rewardObstacle } from '@/features/activity/activity.ts';
import { DispatchDrawer } from '@/features/activity/dispatch-drawer.tsx';
import { type Picked, UserPicker } from '@/features/activity/user-picker.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { useNow } from '@/lib/clock.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/activity-config/reward/$id');

export function ActivityRewardDrawer() {
  const { t } = useTranslation();
  const { activity } = route.useLoaderData();
  const rules = moneyRules(useBoot());
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const close = useCloseDrawer();
  const obstacle = rewardObstacle(activity, useNow());
  const [dispatch, setDispatch] = useState<Dispatch | null>(null);
  const cost = (count: number) => ({
    count,
    each: formatAmount(activity.quota, rules).text,
    total: formatAmount(Math.min(activity.quota * count, Number.MAX_SAFE_INTEGER), rules).text,
  });
  const form = useForm<{ users: Picked[] }>({
    initial: { users: [] },
    validate: ({ users }) => ({ users: usersBad(users.length) }),
    submit: async ({ users }) => {
      const body = { activity_id: activity.id, user_ids: users.map(({ id }) => id) };
      await confirm({
        title: t('activity.confirmTitle', { count: users.length }),
        body: t('activity.cost', cost(users.length)),
        action: t('activity.sendReward'),
        work: async () => setDispatch(await send(body)),
      });
      await router.invalidate();
    },
  });

  function usersBad(count: number): string | undefined {
    if (count === 0) return t('activity.usersNone');
    return count > REWARDED_AT_ONCE ? t('activity.usersMany', { max: REWARDED_AT_ONCE }) : undefined;
  }

  /** That nobody was rewarded is told user by user, too. */
  const send = (body: { activity_id: number; user_ids: number[] }): Promise<Dispatch> =>
    api.send('POST', '/api/activity/reward', { body }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'ACTIVITY_NONE_REWARDED') return error.data as Dispatch;
      throw error;
    });

  if (dispatch) return <DispatchDrawer name={activity.name} dispatch={dispatch} onClose={close} />;
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
