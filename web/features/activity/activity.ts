/** Activities as the calls answer them, and what follows from their fields. */
import { type ActivityState, NO_LIMIT, type RewardResult } from '@modules/activity/facts.ts';
import type { StateLook } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

/** As users see one. */
export type OpenActivity = DataOf<'get', '/api/activity_list'>[number];
/** As administrators see one. */
export type Activity = DataOf<'get', '/api/activity/:id'>;
/** Rewards being sent, or the last that were. */
export type Dispatch = NonNullable<DataOf<'get', '/api/activity/:id/dispatch'>>;

export const activityStates: Record<ActivityState, StateLook> = {
  open: { tone: 'on', label: 'activity.state.open' },
  early: { tone: 'auto', label: 'activity.state.early' },
  over: { tone: 'gone', label: 'activity.state.over' },
  ended: { tone: 'off', label: 'activity.state.ended' },
};

type Timed = Pick<Activity, 'status' | 'start_date' | 'end_date'>;

export function stateOf({ status, start_date, end_date }: Timed, now: number): ActivityState {
  if (!status) return 'ended';
  if (start_date > now) return 'early';
  return end_date !== NO_LIMIT && end_date < now ? 'over' : 'open';
}

/** Why it rewards nobody now; undefined when it does. */
export function rewardObstacle(activity: Activity, now: number): TextKey | undefined {
  if (stateOf(activity, now) !== 'open') return 'activity.notOpen';
  return activity.quota === 0 ? 'activity.noQuota' : undefined;
}

export const rewardResults: Record<RewardResult, StateLook> = {
  granted: { tone: 'on', label: 'activity.result.granted' },
  skipped: { tone: 'gone', label: 'activity.result.skipped' },
  missing: { tone: 'bad', label: 'activity.result.missing' },
  denied: { tone: 'bad', label: 'activity.result.denied' },
  full: { tone: 'bad', label: 'activity.result.full' },
  closed: { tone: 'bad', label: 'activity.result.closed' },
  failed: { tone: 'bad', label: 'activity.result.failed' },
};

export const isUnderWay = ({ state }: Dispatch): boolean => state === 'running' || state === 'cancelling';

/** Who has nothing yet, and might get it if it were sent again. */
export const unserved = ({ results }: Dispatch): Dispatch['results'] =>
  results.filter(({ result }) => result === null || result === 'closed' || result === 'failed');
