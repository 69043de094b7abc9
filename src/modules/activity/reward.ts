/** Administrators reward users for an activity: each at most once, however often and by however many it is dispatched. */
import { and, eq } from 'drizzle-orm';
import { grantReward, REWARD } from '../../billing/rewards.ts';
import type { Actor, LastingActor } from '../../core/actor.ts';
import { hasLostRights, requireStill, stopped } from '../../core/each-row.ts';
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { unitsText } from '../../core/money.ts';
import { canActOn } from '../../core/roles.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { activities, users } from '../../db/schema/index.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { writeLog } from '../log/service.ts';
import type { Dispatch, RewardBody } from './contract.ts';
import type { RewardResult } from './facts.ts';
import { isOpen } from './service.ts';

type Result = Dispatch['results'][number];

/**
 * Adds the activity's quota to the rewards of each of the users, and answers what became of each. They are taken in the
 * order of their ids, some at a time, so that nobody's calls wait for all the others; what a crash leaves undone, the same
 * call does when it is sent again. An activity that ends meanwhile rewards those who came before. Throws NOT_FOUND,
 * ACTIVITY_CLOSED, ACTIVITY_NO_QUOTA, ACTIVITY_NONE_REWARDED with the same answer where nobody was rewarded, and
 * BATCH_STOPPED with what is done.
 */
export async function dispatchRewards(
  deps: Pick<Deps, 'db'>,
  actor: LastingActor,
  { activity_id, user_ids }: RewardBody,
): Promise<Dispatch> {
  const results: Result[] = [];
  const all = new Set(user_ids).size;
  for (const some of batchesOf(user_ids)) {
    const sofar = { done: results.length, all };
    if (results.length > 0) await requireStill(actor.still, sofar, dispatchOf(results));
    results.push(
      ...(await rewardBatch(deps, actor, activity_id, some).catch((error: unknown) => {
        if (results.length > 0 && hasLostRights(error)) throw stopped(sofar, dispatchOf(results), error);
        if (results.length === 0 || !isClosed(error)) throw error;
        return some.map((user_id): Result => ({ user_id, username: '', result: 'closed' }));
      })),
    );
  }
  const dispatch = dispatchOf(results);
  if (dispatch.granted === 0) throw fail('ACTIVITY_NONE_REWARDED', { data: dispatch });
  return dispatch;
}

function dispatchOf(results: Result[]): Dispatch {
  const idsOf = (wanted: RewardResult) =>
    results.filter(({ result }) => result === wanted).map(({ user_id }) => user_id);
  return {
    granted: idsOf('granted').length,
    skipped: idsOf('skipped'),
    missing: idsOf('missing'),
    results,
  };
}

/** Each user once, in the order of their ids, in which their rows are locked. */
export function batchesOf(userIds: readonly number[]): number[][] {
  const ids = [...new Set(userIds)].sort((a, b) => a - b);
  return Array.from({ length: Math.ceil(ids.length / limits.rewardBatch) }, (_, at) =>
    ids.slice(at * limits.rewardBatch, (at + 1) * limits.rewardBatch),
  );
}

/** All of them or none. Throws NOT_FOUND, ACTIVITY_CLOSED, ACTIVITY_NO_QUOTA. */
export const rewardBatch = (
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  activityId: number,
  ids: readonly number[],
): Promise<Result[]> => db.orm.transaction((tx) => rewardSome(tx, actor, activityId, ids));

/** Whether an activity rewards nobody any more. */
export const isClosed = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'ACTIVITY_CLOSED' || error.code === 'ACTIVITY_NO_QUOTA');

interface Activity {
  id: number;
  name: string;
  quota: number;
}

async function rewardSome(
  tx: Tx,
  actor: Actor,
  activityId: number,
  ids: readonly number[],
): Promise<Result[]> {
  const activity = await holdOpen(tx, activityId);
  const found = await tx
    .select({ id: users.id, username: users.username, group: users.group_name, role: users.role })
    .from(users)
    .where(among(users.id, ids));
  const byId = new Map(found.map((user) => [user.id, user]));
  const results: Result[] = [];
  for (const id of ids) {
    const user = byId.get(id);
    const result = await rewardOne(tx, actor, activity, user);
    results.push({ user_id: id, username: user?.username ?? '', result });
  }
  const granted = results.filter(({ result }) => result === 'granted').map(({ user_id }) => user_id);
  if (granted.length > 0) {
    await recordAction(tx, {
      actor,
      action: 'activity.reward',
      target: `activity:${activity.id}`,
      facts: { quota: activity.quota, user_ids: granted },
    });
  }
  return results;
}

/** It stays as it is until the transaction ends. Throws NOT_FOUND, ACTIVITY_CLOSED, ACTIVITY_NO_QUOTA. */
export async function holdOpen(tx: Tx, id: number): Promise<Activity> {
  const [activity] = await tx
    .select({ id: activities.id, name: activities.name, quota: activities.quota })
    .from(activities)
    .where(and(eq(activities.id, id), isOpen()))
    .for('share');
  if (!activity) {
    const [closed] = await tx.select({ id: activities.id }).from(activities).where(eq(activities.id, id));
    throw fail(closed ? 'ACTIVITY_CLOSED' : 'NOT_FOUND');
  }
  if (activity.quota === 0) throw fail('ACTIVITY_NO_QUOTA');
  return activity;
}

interface Rewarded {
  id: number;
  username: string;
  group: string;
  role: number;
}

async function rewardOne(
  tx: Tx,
  actor: Actor,
  { id, name, quota }: Activity,
  user: Rewarded | undefined,
): Promise<RewardResult> {
  if (!user) return 'missing';
  if (!canActOn(actor, user)) return 'denied';
  const ref = crypto.randomUUID();
  const kind = REWARD.activity;
  try {
    const isNew = await grantReward(tx, { userId: user.id, kind, amount: quota, ref, causeId: id });
    if (!isNew) return 'skipped';
  } catch (error) {
    // The statement did not fail: it found nothing to move, and moved nothing.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return 'missing';
    if (error instanceof AppError && error.code === 'QUOTA_RANGE') return 'full';
    throw error;
  }
  await writeLog(tx, {
    type: 'activity',
    user,
    text: {
      zh: `活动“${name}”奖励 ${unitsText(quota).zh}`,
      en: `Rewarded ${unitsText(quota).en} for the activity “${name}”`,
    },
    quota,
    other: { ref, activity_id: id },
  });
  return 'granted';
}
