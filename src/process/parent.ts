/**
 * The parent of several workers on one port. It holds the folder's lock (taken in `main.ts`), migrates before they
 * start, passes the stop on and serves nothing itself.
 */
import { migratePostgres } from '../db/migrate.ts';
import type { Env } from '../env.ts';
import { createLogger } from '../platform/logger.ts';
import { Metrics } from '../platform/metrics.ts';
import { onUncaught } from './faults.ts';
import { requireFreePort } from './port.ts';
import { exitAfter, onStopSignals } from './signals.ts';
import { WorkerPool } from './worker-pool.ts';

export async function runParent(env: Env): Promise<void> {
  const log = createLogger(env.LOG_LEVEL);
  const pool = new WorkerPool(log, new Metrics());
  const stop = exitAfter(() => pool.stop());
  onUncaught(log, () => stop(1));
  onStopSignals(
    () => stop(0),
    () => {
      pool.kill();
      process.exit(1);
    },
  );

  // Each worker would know only the codes that it sent itself, and the next call may reach another.
  if (!env.REDIS_URL) log.warn('workers.no_redis', { workers: env.WORKERS });
  await requireFreePort(env);
  await migratePostgres(env.DATABASE_URL);
  // The first one alone: what is wrong with the surroundings is then said once, and what is made once is made there.
  await pool.start(0);
  await Promise.all(Array.from({ length: env.WORKERS - 1 }, (_, i) => pool.start(i + 1)));
  process.stderr.write(await pool.greeting());
}
