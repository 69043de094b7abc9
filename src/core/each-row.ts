import { AppError } from './errors.ts';

/**
 * Does the same to each row of some ids, one after the other, and answers how many it was done to: one that is gone
 * meanwhile, or whose rules refuse it, stays as it is and holds up no other. What is not the row's matter ends it.
 */
export async function eachRow(
  ids: readonly number[],
  work: (id: number) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  for (const id of new Set(ids)) {
    try {
      await work(id);
      count += 1;
    } catch (error) {
      if (!isOfRow(error)) throw error;
    }
  }
  return count;
}

/** That the caller asks too much, or that the server is busy or at fault, says nothing of a row. */
const isOfRow = (error: unknown): boolean =>
  error instanceof AppError && error.apiStatus !== 429 && error.apiStatus < 500;
