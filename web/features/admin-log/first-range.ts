import type { RangeName } from '../log/range.ts';

/** Administrators change something seldom: a day would mostly be empty. */
export const FIRST_RANGE: RangeName = '30d';
