/** What the calls on tasks and their pages alike must know. */

/** The columns by which a user can order a list of his own. */
export const TASK_ORDERS = [
  'submitted',
  'finished',
  'platform',
  'action',
  'state',
  'progress',
  'cost',
] as const;
/** Those of all users' also by what only it shows. */
export const ALL_TASK_ORDERS = [...TASK_ORDERS, 'channel'] as const;
