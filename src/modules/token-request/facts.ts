/** What calls and pages alike must know of applications that ask for a relay key. */

/** How a request stands. One that is over by time is stored as it was. */
export const TOKEN_REQUEST = { pending: 1, approved: 2, rejected: 3, fetched: 4 } as const;

/** The name of a new token has to fit. */
export const APP_NAME_MAX = 50;

/** Where the page hands over its code: in no address, which logs and histories keep. */
export const APPROVE_CODE_HEADER = 'x-approve-code';
