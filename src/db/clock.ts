/** The clock of the store, which all processes have in common, as statements read it. */

/** Unix seconds. */
export const NOW = 'extract(epoch from clock_timestamp())::bigint';
/** Unix milliseconds. */
export const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
