/** What the calls on activities take and answer. */
import { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowId, rowIds, typedId } from '../../core/wire/whole.ts';
import type { JobState } from '../../jobs/runner.ts';
import {
  ACTIVITY_ACTIONS,
  ACTIVITY_ORDERS,
  ACTIVITY_STATES,
  REWARDED_AT_ONCE,
  type RewardResult,
} from './facts.ts';

const TEXT_LIMIT = 20_000;

/** Their rules refuse them, in the specification's words; the schema only says what they are. Absent and null stay as they are. */
export const activityBody = z.object({
  name: wireText(TEXT_LIMIT).nullish(),
  desc: wireText(TEXT_LIMIT).nullish(),
  /** Quota units of each user's reward; 0 for an activity without one. */
  quota: z.number().nullish(),
  /** True: in progress. */
  status: z.boolean().nullish(),
  /** Unix seconds; 0 for no limit. */
  start_date: z.number().nullish(),
  end_date: z.number().nullish(),
});
export type ActivityBody = z.output<typeof activityBody>;

export const manyBody = z.object({ ids: rowIds, action: z.enum(ACTIVITY_ACTIONS) });

/** A state that is none filters nothing, so that an old link still opens. */
export const listQuery = pagingQuery.extend({
  /** Part of the name. */
  q: wireText(TEXT_LIMIT).optional(),
  status: z.enum(['true', 'false']).optional().catch(undefined),
  /** The same with the times. */
  state: z.enum(ACTIVITY_STATES).optional().catch(undefined),
  /** Newest first without one. */
  sort: askedOrder(ACTIVITY_ORDERS),
});

const userIds = z.array(rowId).min(1).max(REWARDED_AT_ONCE);

export const rewardBody = z.object({ activity_id: typedId, user_ids: userIds });
export const dispatchBody = z.object({ user_ids: userIds });
export type RewardBody = z.output<typeof rewardBody>;

/** An activity as everyone may see it. */
export interface Activity {
  id: number;
  name: string;
  desc: string;
  quota: number;
  status: boolean;
  /** Unix seconds; 0 for no limit. */
  start_date: number;
  end_date: number;
  created_at: number;
  updated_at: number;
}

/** As administrators see it. */
export interface ActivityItem extends Activity {
  /** How many users were rewarded. */
  rewarded: number;
}

/** As a user sees it. */
export interface OpenActivity extends Activity {
  /** Whether he was rewarded. */
  joined: boolean;
}

export interface Dispatch {
  /** How many users were rewarded now. */
  granted: number;
  /** Those who were rewarded before. */
  skipped: number[];
  /** Those who are not there. */
  missing: number[];
  /** What became of each, in the order of their ids. */
  results: { user_id: number; username: string; result: RewardResult }[];
}

/** How a dispatch in the background stands. */
export interface DispatchProgress {
  id: string;
  state: JobState;
  /** Unix seconds. */
  began_at: number;
  /** Everybody, in the order of their ids; null until it was his turn. */
  results: { user_id: number; username: string; result: RewardResult | null }[];
}
