/** What calls and pages alike must know of tokens. */

/** Only enabled and disabled are stored; expired and exhausted follow from the row and the clock. */
export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

export const NAME_MAX = 50;
/** Of a new token that says nothing else; 500,000 units are one US dollar. */
export const DEFAULT_QUOTA = 500_000;

/** The columns by which its list can be ordered. */
export const TOKEN_ORDERS = ['name', 'used', 'left', 'group', 'expires', 'created'] as const;
