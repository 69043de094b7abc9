/** What calls and pages alike must know of redemption codes. */

/** As it is stored. A code whose time is over is told by its expiry. */
export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const;

export const REDEMPTION_NAME_MAX = 20;
/** The most codes that are made at once. */
export const REDEMPTION_COUNT_MAX = 100;
/** Of a new code that says nothing else; 500,000 units are one US dollar. */
export const REDEMPTION_QUOTA = 100_000;

/** What may be done to many codes at once. */
export const REDEMPTION_ACTIONS = ['enable', 'disable', 'delete'] as const;
export type RedemptionAction = (typeof REDEMPTION_ACTIONS)[number];

/** States by which the list is searched: the stored ones, of which unused means still usable, and expired. */
export const REDEMPTION_STATES = ['unused', 'disabled', 'used', 'expired'] as const;
export type RedemptionState = (typeof REDEMPTION_STATES)[number];

/** The columns by which its list can be ordered. */
export const REDEMPTION_ORDERS = ['id', 'name', 'quota', 'created', 'expires', 'used'] as const;
