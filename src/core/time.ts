/** Whole seconds of a time in milliseconds. */
export const secOf = (ms: number): number => Math.floor(ms / 1000);

/** Unix seconds, the unit of every time on the wire and in the database. */
export const nowSec = (): number => secOf(Date.now());

export const MINUTE_SEC = 60;
export const HOUR_SEC = 3600;
export const DAY_SEC = 86_400;
/** A third of a day: days begin with one in UTC, in China and, in winter, on the American west coast alike. */
export const DAY_PART_SEC = 8 * HOUR_SEC;
/** Of the longest pieces of time that figures are summed up for: some days, whole parts of them. */
export const SPAN_SEC = 24 * DAY_PART_SEC;

/** The expiry of what has none. */
export const NEVER = -1;
