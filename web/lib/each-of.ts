import { ApiError } from './api-error.ts';

/** How many calls are under way at once. */
const AT_ONCE = 4;

export interface EachOf<Row> {
  done: Row[];
  failed: Row[];
}

/**
 * Does something to each of several rows, some at a time; answers those to which it was done, and those where it failed.
 * What is not the row's matter ends it: throws that ApiError, whose data is then to how many it was done.
 */
export async function eachOf<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<unknown>,
): Promise<EachOf<Row>> {
  const results: boolean[] = [];
  const waiting = rows.entries();
  let end: ApiError | undefined;
  const take = async () => {
    // One after another, as many of these as there may be calls under way.
    for (const [at, row] of waiting) {
      results[at] = await work(row).then(
        () => true,
        (error: unknown) => {
          if (isOfAll(error)) end ??= error;
          return false;
        },
      );
      if (end) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  const done = rows.filter((_, at) => results[at]);
  if (end) throw new ApiError(end.fields, done.length);
  return { done, failed: rows.filter((_, at) => !results[at]) };
}

/** That he may no more, asks too much, or reaches no server that works: the next row would meet the same. */
const isOfAll = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.code === 'BATCH_STOPPED' || [0, 401, 429].includes(error.status) || error.status >= 500);

/** To how many something was done before it ended by this. */
export const doneBefore = (error: unknown): number =>
  error instanceof ApiError && typeof error.data === 'number' ? error.data : 0;
