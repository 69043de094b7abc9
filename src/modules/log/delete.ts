/** Deletes old rows of the log, on root's word. Hourly figures and ledger stay: what was used and paid is still known. */
import type { Actor } from '../../core/actor.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { readProgress } from '../../jobs/progress.ts';
import { startJob } from '../../jobs/runner.ts';
import { recordDone } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { deleteBefore } from './retention.ts';

const JOB = 'log.delete';
/** A caller waits for the answer. */
const LOOK_MS = 20;

type DeleteDeps = Pick<Deps, 'db' | 'log' | 'stopping'>;

/**
 * Deletes the rows before a time, in the background and in slices that hold up nobody. Answers how many they were, or,
 * where that takes longer than a caller waits, the job. Throws BAD_PARAM for a time to come, LOG_DELETING.
 */
export async function deleteLogs(
  deps: DeleteDeps,
  actor: Actor,
  before: number,
): Promise<number | { job: string }> {
  if (before <= 0 || before > nowSec()) throw fail('BAD_PARAM', { field: 'target_timestamp' });
  const { db } = deps;
  const job = await startJob(deps, {
    name: JOB,
    detail: { before },
    items: [before],
    atOnce: 1,
    lost: () => ({ ok: false, detail: {} }),
    work: async (_, signal) => ({ ok: true, detail: { deleted: await deleteBefore(deps, before, signal) } }),
  });
  if (job === null) throw fail('LOG_DELETING');
  await recordDone(db.orm, { actor, action: 'log.delete', target: 'log', facts: { until: before } });
  for (
    const until = performance.now() + limits.logsDeletionMs;
    performance.now() < until;
    await Bun.sleep(LOOK_MS)
  ) {
    const progress = await readProgress<{ deleted?: number }>(db, JOB);
    if (progress?.id === job && progress.done > 0) return progress.results[0]?.deleted ?? { job };
  }
  return { job };
}
