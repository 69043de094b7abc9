/** The time that the log looks at where its address names none. */
import { DEFAULT_RANGE, type RangeName } from './range.ts';

/** A request is found whenever it was: its id stands in an index, and in links that are older than a day. */
export const firstRange = ({ request }: { request?: string | undefined }): RangeName =>
  request === undefined ? DEFAULT_RANGE : 'all';
