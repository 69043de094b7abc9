/** What the calls on tasks and their pages alike must know. */

/** The columns by which its list can be ordered. */
export const TASK_ORDERS = [
  'submitted',
  'finished',
  'channel',
  'platform',
  'action',
  'state',
  'progress',
  'cost',
] as const;
