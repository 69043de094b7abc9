/** When a channel that the gateway switched off is tested again: less and less often. */

const MINUTE = 60;
const PROBE_AFTER_SEC = [5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 360 * MINUTE];
const PROBE_DAILY_SEC = 24 * 60 * MINUTE;

/** Seconds from one test of it to the next, when it has had so many since. */
export const probeAfterSec = (probes: number): number => PROBE_AFTER_SEC[probes] ?? PROBE_DAILY_SEC;
