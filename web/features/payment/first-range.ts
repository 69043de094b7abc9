import type { RangeName } from '../log/range.ts';

/** Orders are few: the page begins with all that may still be in question. */
export const FIRST_RANGE: RangeName = '30d';
