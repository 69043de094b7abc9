/** Tasks are kept as long as the log, which tells what they cost. */
import { limits } from '../../core/limits.ts';
import { DAY_SEC } from '../../core/time.ts';
import type { Deps } from '../deps.ts';

/**
 * Removes tasks that are over and older than the log, by slices; ends early when the signal aborts. What gave money back
 * stays as the cause of that, without what was asked for and what came of it.
 */
export async function forgetOldTasks(
  { db, options }: Pick<Deps, 'db' | 'options'>,
  signal: AbortSignal,
): Promise<void> {
  const days = options.get('log.retention_days');
  if (days === 0) return;
  const before = Date.now() - Math.max(days, limits.foldLeastDays) * DAY_SEC * 1000;
  await inSlices(signal, () =>
    db.query(
      `delete from tasks where id in (
         select id from tasks where submit_time < $1::bigint and status in ('SUCCESS', 'FAILURE')
           and refund <> 1 and refunded = 0
         order by submit_time limit $2::bigint for update skip locked) returning id`,
      [before, limits.tasksRemoved],
    ),
  );
  await inSlices(signal, () =>
    db.query(
      `update tasks set input = '{}', data = null, charge = null, fail_reason = '', hook = '' where id in (
         select id from tasks where submit_time < $1::bigint and refunded > 0
           and (input <> '{}' or data is not null or charge is not null or fail_reason <> '' or hook <> '')
         order by submit_time limit $2::bigint for update skip locked) returning id`,
      [before, limits.tasksRemoved],
    ),
  );
}

async function inSlices(signal: AbortSignal, slice: () => Promise<readonly unknown[]>): Promise<void> {
  while (!signal.aborted && (await slice()).length >= limits.tasksRemoved);
}
