/** What calls and pages alike must know of a client's roles. */

export const AI_ROLE_NAME_MAX = 100;
/** Lists and objects in one another: what readers of JSON follow by recursion. */
export const AI_ROLE_DEPTH_MAX = 64;

/** The columns by which its list can be ordered. */
export const AI_ROLE_ORDERS = ['id', 'name'] as const;
