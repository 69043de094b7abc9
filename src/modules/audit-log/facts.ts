/** What the calls on the record of actions and its page alike must know. */

/** The columns by which its list can be ordered. */
export const ACTION_ORDERS = ['time', 'action', 'target'] as const;
