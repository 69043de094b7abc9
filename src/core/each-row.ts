import type { LastingActor, Still } from './actor.ts';
import { AppError, fail } from './errors.ts';

/**
 * Does the same to each row of some ids, one after the other, and answers how many it was done to: one that is gone
 * meanwhile, or whose rules refuse it, stays as it is and holds up no other. What is not the row's matter ends it, and so
 * does that the actor may no more. Throws BATCH_STOPPED.
 */
export async function eachRow(
  { still }: Pick<LastingActor, 'still'>,
  ids: readonly number[],
  work: (id: number) => Promise<unknown>,
): Promise<number> {
  const all = new Set(ids);
  let done = 0;
  let isFirst = true;
  for (const id of all) {
    if (!isFirst) await requireStill(still, { done, all: all.size });
    isFirst = false;
    try {
      await work(id);
      done += 1;
    } catch (error) {
      if (hasLostRights(error)) throw stopped({ done, all: all.size }, done, error);
      if (!isRefusal(error)) throw error;
    }
  }
  return done;
}

/** Between two parts of what somebody does: that he still may. Throws BATCH_STOPPED, with what is done. */
export async function requireStill(
  still: Still,
  { done, all }: { done: number; all: number },
  data: unknown = done,
): Promise<void> {
  try {
    await still();
  } catch (error) {
    throw isRefusal(error) ? stopped({ done, all }, data, error) : error;
  }
}

/** What is told of the rest that is not done. */
export const stopped = (
  { done, all }: { done: number; all: number },
  data: unknown,
  cause: unknown,
): AppError => fail('BATCH_STOPPED', { params: { done, all }, data, cause });

/** That he may no more, as the record of a part says, which asks anew. */
export const hasLostRights = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'SESSION_EXPIRED';

/** That the caller asks too much, or that the server is busy or at fault, says nothing of a row or of his rights. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.apiStatus !== 429 && error.apiStatus < 500;
