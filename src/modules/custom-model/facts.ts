/** What calls and pages alike must know of users' own keys. */

/** The columns by which the list of all users' keys can be ordered. */
export const CUSTOM_MODEL_ORDERS = ['id', 'user', 'supplier', 'balance'] as const;
