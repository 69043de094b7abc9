/** How large numbers may be, by what holds them. */

/** Columns of the database; a bigint is as large as a JSON number is exact. */
export const COLUMN_MAX = {
  smallint: 32_767,
  integer: 2_147_483_647,
  bigint: Number.MAX_SAFE_INTEGER,
} as const;

export type WholeColumn = keyof typeof COLUMN_MAX;

/** Characters of a model's name, where channels, tokens and keys list it. */
export const MODEL_NAME_MAX = 255;
/** The same where it is described and priced. */
export const PRICED_NAME_MAX = 200;

/** The last second, in unix seconds, that every zone on earth writes with a year of four digits. */
export const SECONDS_MAX = Date.UTC(9999, 11, 31, 10) / 1000 - 1;
