/**
 * Whole numbers as they may arrive from outside: never larger than the column that they are stored in or compared with,
 * or the database refuses what the contract let in.
 */
import { z } from 'zod';
import { COLUMN_MAX, SECONDS_MAX, type WholeColumn } from '../bounds.ts';

/** Of a body; not negative unless `min` says so. */
export const whole = (column: WholeColumn, min = 0) => z.number().int().min(min).max(COLUMN_MAX[column]);

/** Of an address, where it is a text; an empty field of a form asks for nothing. */
export const askedWhole = (column: WholeColumn, min = 0) =>
  z.union([z.literal('').transform(() => undefined), z.coerce.number().pipe(whole(column, min))]).optional();

/** Of a body where a form may have left it a text. An empty text is none: a quota must not become 0 by it. */
export const typedWhole = (column: WholeColumn, min = 0) =>
  z
    .union([
      z.number(),
      z
        .string()
        .trim()
        .max(17)
        .regex(/^-?\d{1,16}$/)
        .transform(Number),
    ])
    .pipe(whole(column, min));

/** As many as the longest list without pages has, and no page has more. */
const ROWS_MAX = 1_000;

/** The id of a row, in a body and in an address. */
export const rowId = whole('bigint', 1);
/** Of the rows to all of which one call does the same. */
export const rowIds = z.array(rowId).min(1).max(ROWS_MAX);
export const askedId = z.coerce.number().pipe(rowId);
/** Of a call whose path names a row. */
export const idParam = z.object({ id: askedId });
export const typedId = typedWhole('bigint', 1);

/** Unix seconds, as an end of a time range in an address. */
export const askedSeconds = askedWhole('bigint');

/** Unix seconds that a page will write as a date; -1 for never. */
export const storedSeconds = z.number().int().min(-1).max(SECONDS_MAX);
