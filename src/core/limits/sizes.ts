/** Bytes. */
export const KIB = 1024;
export const MIB = 1024 * KIB;
/** A character of a text in memory takes so many at the most. */
export const CHAR_BYTES = 2;
