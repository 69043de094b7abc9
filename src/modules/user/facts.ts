/** What calls and pages alike must know of users. */

/** What is done to a user by one button. */
export const MANAGE_ACTIONS = ['promote', 'demote', 'disable', 'enable', 'delete'] as const;
export type ManageAction = (typeof MANAGE_ACTIONS)[number];

/** Characters of why an administrator changes a quota. */
export const QUOTA_REASON_MAX = 200;

/** The columns by which its list can be ordered. */
export const USER_ORDERS = [
  'id',
  'username',
  'role',
  'status',
  'group',
  'left',
  'used',
  'requests',
  'invited',
  'created',
] as const;
