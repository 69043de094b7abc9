/** What calls and pages alike must know of activities. */

export const ACTIVITY_NAME_MAX = 100;
export const ACTIVITY_DESC_MAX = 2_000;
/** The most users that one call rewards. */
export const REWARDED_AT_ONCE = 1_000;
/** Of a date: there is no limit. */
export const NO_LIMIT = 0;

/**
 * What became of one user in a dispatch. `skipped`: he was rewarded for this activity before; `missing`: there is no such
 * user, or he is cancelled; `denied`: who dispatches may not act on him; `full`: his balance can hold no more.
 */
export const REWARD_RESULTS = ['granted', 'skipped', 'missing', 'denied', 'full'] as const;
export type RewardResult = (typeof REWARD_RESULTS)[number];
