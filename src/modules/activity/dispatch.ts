/**
 * A dispatch in the background: it goes on when whoever began it goes away, and what became of each user is kept until the
 * next one of the same activity. Only ids are kept, so that an erased user has no name here either.
 */

import type { Actor } from '../../core/actor.ts';
import { hasLostRights } from '../../core/each-row.ts';
import { fail } from '../../core/errors.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import { users } from '../../db/schema/index.ts';
import { readJobDetail, readProgress } from '../../jobs/progress.ts';
import { type JobResult, startJob } from '../../jobs/runner.ts';
import type { Deps } from '../deps.ts';
import type { DispatchProgress } from './contract.ts';
import type { RewardResult } from './facts.ts';
import { batchesOf, holdOpen, isClosed, rewardBatch } from './reward.ts';

/** What the job keeps of itself, and of each of its batches. */
type Asked = Pick<DispatchProgress, 'began_at'> & { user_ids: number[] };
type Batch = { results: { user_id: number; result: RewardResult }[] };

const jobName = (activityId: number): string => `activity.reward:${activityId}`;

/**
 * Begins to reward users and answers how many. Throws NOT_FOUND, ACTIVITY_CLOSED, ACTIVITY_NO_QUOTA, and
 * ACTIVITY_DISPATCHING while another dispatch of the activity is under way.
 */
export async function beginDispatch(
  deps: Pick<Deps, 'db' | 'log' | 'stopping'>,
  actor: Actor,
  activityId: number,
  userIds: readonly number[],
): Promise<number> {
  await deps.db.orm.transaction((tx) => holdOpen(tx, activityId));
  // It goes on when he signs out, and ends with his rights.
  const behind = { ...actor, wayIn: null };
  const items = batchesOf(userIds);
  const asked: Asked = { began_at: nowSec(), user_ids: items.flat() };
  // Once it is known, the rest of them need not be asked for.
  let end: RewardResult | null = null;
  const id = await startJob(deps, {
    name: jobName(activityId),
    detail: { ...asked },
    items,
    atOnce: 1,
    lost: (ids) => allBecame(ids, 'failed'),
    async work(ids) {
      if (end) return allBecame(ids, end);
      try {
        const results = await rewardBatch(deps, behind, activityId, ids);
        return became(results.map(({ user_id, result }) => ({ user_id, result })));
      } catch (error) {
        end = isClosed(error) ? 'closed' : hasLostRights(error) ? 'denied' : null;
        if (end) return allBecame(ids, end);
        throw error;
      }
    },
  });
  if (id === null) throw fail('ACTIVITY_DISPATCHING');
  return asked.user_ids.length;
}

const became = (results: Batch['results']): JobResult => ({
  ok: results.every(({ result }) => result === 'granted'),
  detail: { results },
});

const allBecame = (ids: readonly number[], result: RewardResult): JobResult =>
  became(ids.map((user_id) => ({ user_id, result })));

/** The latest dispatch of an activity, under way or ended; null when there never was one. */
export async function readDispatch(
  { db }: Pick<Deps, 'db'>,
  activityId: number,
): Promise<DispatchProgress | null> {
  const job = await readProgress<Batch>(db, jobName(activityId));
  const asked = job && (await readJobDetail<Asked>(db, job.id));
  if (!job || !asked) return null;
  const { began_at, user_ids } = asked;
  const names = await db.orm
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(among(users.id, user_ids));
  const nameOf = new Map(names.map(({ id, username }) => [id, username]));
  const resultOf = new Map(
    job.results.flatMap(({ results }) => results).map(({ user_id, result }) => [user_id, result]),
  );
  return {
    id: job.id,
    state: job.state,
    began_at,
    results: user_ids.map((user_id) => ({
      user_id,
      username: nameOf.get(user_id) ?? '',
      result: resultOf.get(user_id) ?? null,
    })),
  };
}
