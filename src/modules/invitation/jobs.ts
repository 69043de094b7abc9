/**
 * Pays invitations that wait for the first charged call. A call knows nothing of them: its settlement is the hottest
 * statement there is, so that it is looked here, every half minute, who of those that wait has been charged.
 */
import { limits } from '../../core/limits.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { GiftDeps } from '../gift/service.ts';
import { rewarding } from './service.ts';

export const startFirstCallRewards = (deps: GiftDeps): Rounds =>
  startRounds({
    everyMs: limits.firstCallLookMs,
    make: (signal) => rewardFirstCalls(deps, signal),
    onFault: (error) => deps.log.warn('invitation.first_call', { error }),
  });

const trigger = 'first_call';

/** Pays those who are due; answers how many. Processes that look at once pay each of them once. */
export async function rewardFirstCalls(deps: GiftDeps, signal?: AbortSignal): Promise<number> {
  const { db, log } = deps;
  const due = await db.query<{ id: number }>(
    `select u.id from invitations i join users u on u.id = i.invitee_id
     where i.trigger = $1 and i.paid_at is null and u.used_quota > 0 and u.deleted_at is null and u.status = $2
     order by u.id limit ${limits.firstCallsAtOnce}`,
    [trigger, USER_STATUS.active],
  );
  let paid = 0;
  for (const { id } of due) {
    if (signal?.aborted) break;
    try {
      await db.orm.transaction((tx) => rewarding(tx, deps, { userId: id, trigger }, async () => undefined));
      paid++;
    } catch (error) {
      log.warn('invitation.first_call', { user: id, error });
    }
  }
  return paid;
}
