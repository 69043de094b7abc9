/**
 * Background work over a list of things. Its state is rows, so that any process can tell its progress and stop it; the
 * process that started it does the work. A job whose process goes away stops renewing its row and counts as lost.
 */
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import { NOW } from '../db/clock.ts';
import { isUniqueViolation } from '../db/statement.ts';
import type { Logger } from '../platform/logger.ts';
import { behindAnswer } from '../platform/on-behalf.ts';
import type { Stopping } from '../platform/stopping.ts';

export interface JobResult {
  ok: boolean;
  /** What is shown of it. */
  detail: JsonObject;
}

export interface JobSpec<T> {
  /** At most one job of a name is under way, on all processes together. */
  name: string;
  /** Kept with the job for whoever reads its progress. */
  detail?: JsonObject;
  items: readonly T[];
  /** How many are done at once. */
  atOnce: number;
  /** What a failure of ours, as opposed to a result, is shown as. */
  lost(item: T): JobResult;
  work(item: T, signal: AbortSignal): Promise<JobResult>;
}

export type JobState = 'running' | 'cancelling' | 'done' | 'cancelled' | 'lost';

export interface JobDeps {
  db: Database;
  log: Logger;
  stopping: Stopping;
}

const UNDER_WAY = `state in ('running', 'cancelling')`;

/** Begins a job and answers its id at once; null when one of this name is under way. Ended ones of the name are forgotten. */
export async function startJob<T>(deps: JobDeps, spec: JobSpec<T>): Promise<string | null> {
  const { db, log, stopping } = deps;
  const id = crypto.randomUUID();
  await db.query(
    `update jobs set state = 'lost' where name = $1 and ${UNDER_WAY} and updated_at < ${NOW} - ${limits.jobSilentSec}`,
    [spec.name],
  );
  await db.query(`delete from jobs where name = $1 and not ${UNDER_WAY}`, [spec.name]);
  try {
    await db.query(
      `insert into jobs (id, name, state, total, detail, created_at, updated_at)
       values ($1, $2, 'running', $3, $4::text::jsonb, ${NOW}, ${NOW})`,
      [id, spec.name, spec.items.length, JSON.stringify(spec.detail ?? {})],
    );
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
  // The exit waits for it: it ends early then, with its state written.
  void stopping.track(
    behindAnswer(() => run(deps, id, spec)).catch((error: unknown) =>
      log.error('job', { name: spec.name, error }),
    ),
  );
  return id;
}

async function run<T>({ db, log, stopping }: JobDeps, id: string, spec: JobSpec<T>): Promise<void> {
  const stop = new AbortController();
  // Renews the row, and hears whether another process wants the job stopped.
  const pulse = setInterval(() => {
    if (stopping.begun) stop.abort();
    db.query<{ state: JobState }>(`update jobs set updated_at = ${NOW} where id = $1 returning state`, [id])
      .then(([row]) => row?.state !== 'running' && stop.abort())
      .catch((error: unknown) => log.warn('job.pulse', { error }));
  }, limits.jobPulseMs);
  const waiting = spec.items.values();
  const worker = async () => {
    for (const item of waiting) {
      if (stop.signal.aborted || stopping.begun) return;
      const result = await spec.work(item, stop.signal).catch((error: unknown) => {
        log.warn('job.item', { name: spec.name, error });
        return spec.lost(item);
      });
      // What was cut short by the stop is no result.
      if (stop.signal.aborted) return;
      if ((await noteResult(db, id, result)) !== 'running') stop.abort();
    }
  };
  try {
    await Promise.all(Array.from({ length: spec.atOnce }, worker));
  } finally {
    clearInterval(pulse);
    await db.query(
      `update jobs set updated_at = ${NOW},
         state = case when state = 'running' and done = total then 'done' else 'cancelled' end
       where id = $1 and ${UNDER_WAY}`,
      [id],
    );
  }
}

/** Counts a result and keeps it; answers the state that the job is in. */
async function noteResult(
  db: Database,
  id: string,
  { ok, detail }: JobResult,
): Promise<JobState | undefined> {
  const [row] = await db.query<{ state: JobState }>(
    `with counted as (
       update jobs set done = done + 1, failed = failed + (not $2::boolean)::int, updated_at = ${NOW}
       where id = $1 returning done, state
     ), kept as (
       insert into job_results (job_id, seq, ok, detail) select $1, done, $2::boolean, $3::text::jsonb from counted
     )
     select state from counted`,
    [id, ok, JSON.stringify(detail)],
  );
  return row?.state;
}
