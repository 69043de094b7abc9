/** How large numbers may be, by what holds them. */

/** Columns of the database; a bigint is as large as a JSON number is exact. */
export const COLUMN_MAX = {
  smallint: 32_767,
  integer: 2_147_483_647,
  bigint: Number.MAX_SAFE_INTEGER,
} as const;

export type WholeColumn = keyof typeof COLUMN_MAX;

/** The last second, in unix seconds, that every zone on earth writes with a year of four digits. */
export const SECONDS_MAX = Date.UTC(9999, 11, 31, 10) / 1000 - 1;
