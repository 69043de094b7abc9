/** What calls and pages alike must know of activities. */

export const ACTIVITY_NAME_MAX = 100;
export const ACTIVITY_DESC_MAX = 2_000;
/** The most users that one call rewards. */
export const REWARDED_AT_ONCE = 1_000;
/** Of a date: there is no limit. */
export const NO_LIMIT = 0;

/**
 * What became of one user in a dispatch. `skipped`: he was rewarded for this activity before; `missing`: there is no such
 * user, or he is cancelled; `denied`: who dispatches may not act on him, or not any more; `full`: his balance can hold no
 * more; `closed`: the activity ended before it was his turn; `failed`: something of ours went wrong.
 */
const REWARD_RESULTS = ['granted', 'skipped', 'missing', 'denied', 'full', 'closed', 'failed'] as const;
export type RewardResult = (typeof REWARD_RESULTS)[number];

/**
 * What an activity is at a moment: in progress, and within its time, before or after it; or ended by an administrator.
 */
export const ACTIVITY_STATES = ['open', 'early', 'over', 'ended'] as const;
export type ActivityState = (typeof ACTIVITY_STATES)[number];

/** What may be done to many activities at once. */
export const ACTIVITY_ACTIONS = ['end', 'resume'] as const;
export type ActivityAction = (typeof ACTIVITY_ACTIONS)[number];

/** The columns by which its list can be ordered. */
export const ACTIVITY_ORDERS = ['id', 'name', 'quota', 'begins', 'created'] as const;
