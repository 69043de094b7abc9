/** What the calls on the log and its page alike must know. */

/** The columns by which its list can be ordered. */
export const LOG_ORDERS = ['time', 'token', 'model', 'duration', 'input', 'output', 'cost'] as const;
