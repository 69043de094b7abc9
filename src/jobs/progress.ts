/** How a job stands, read from its rows: the same answer on every process. */
import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import { NOW } from '../db/clock.ts';
import type { JobState } from './runner.ts';

/** `D` is what the job's pieces tell of themselves. */
export interface Progress<D extends object> {
  id: string;
  state: JobState;
  total: number;
  done: number;
  failed: number;
  /** Seconds since it began, until it ended. */
  seconds: number;
  /** Of the results after the one asked for, in the order in which they came. */
  results: (D & { seq: number; ok: boolean })[];
}

const STATE = `case when state in ('running', 'cancelling') and updated_at < ${NOW} - ${limits.jobSilentSec}
  then 'lost' else state end`;

/** The latest job of a name with its results after `after` (0 for all); null when there never was one. */
export async function readProgress<D extends object>(
  db: Database,
  name: string,
  after = 0,
): Promise<Progress<D> | null> {
  const [job] = await db.query<Omit<Progress<D>, 'results'>>(
    `select id, ${STATE} as state, total, done, failed,
       case when ${STATE} in ('running', 'cancelling') then ${NOW} else updated_at end - created_at as seconds
     from jobs where name = $1 order by created_at desc, id limit 1`,
    [name],
  );
  if (!job) return null;
  const rows = await db.query<{ seq: number; ok: boolean; detail: D }>(
    `select seq, ok, detail from job_results where job_id = $1 and seq > $2 order by seq limit ${limits.jobResultsRead}`,
    [job.id, after],
  );
  return {
    ...job,
    results: rows.map(({ seq, ok, detail }) => ({ ...detail, seq, ok })),
  };
}

/** What was kept with a job when it began; null when it has been forgotten meanwhile. */
export async function readJobDetail<D extends object>(db: Database, id: string): Promise<D | null> {
  const [row] = await db.query<{ detail: D }>('select detail from jobs where id = $1', [id]);
  return row?.detail ?? null;
}

/** Asks the job of a name to stop, wherever it runs; false when none is under way. */
export async function cancelJob(db: Database, name: string): Promise<boolean> {
  const rows = await db.query(
    `update jobs set state = 'cancelling' where name = $1 and state = 'running' returning id`,
    [name],
  );
  return rows.length > 0;
}
