/**
 * Work that is due once a day, whichever process does it: who takes the lease of a day does the work of that day. What
 * fails is due again when somebody looks next.
 */
import { foldLedger } from '../billing/fold.ts';
import { forgetMonths } from '../billing/months.ts';
import { limits } from '../core/limits.ts';
import { DAY_SEC, nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { dropLease, holdLease } from '../db/lease.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { forgetQuarters } from '../modules/channel/quarters.ts';
import { forgetGifts } from '../modules/gift/service.ts';
import { forgetOldLogs } from '../modules/log/retention.ts';
import { forgetErased } from '../modules/log/service.ts';
import { forgetGrants } from '../modules/oauth-app/service.ts';
import { removeUnpaid } from '../modules/payment/service.ts';
import { deleteOutlived } from '../modules/session/service.ts';
import { forgetOldTasks } from '../modules/task/service.ts';
import { deleteForgotten } from '../modules/token/service.ts';
import { foldUsage } from '../modules/usage/fold.ts';
import type { Options } from '../options/store.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';

export interface DailyWork {
  name: string;
  /** Must bear to be done twice. Ends early, its work half done, when the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface Daily {
  /** Does what is due; answers the names of what was done. */
  round(): Promise<string[]>;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

interface DailyDeps {
  db: Database;
  log: Logger;
  metrics: Metrics;
}

export function startDaily(deps: DailyDeps, works: readonly DailyWork[]): Daily {
  const end = new AbortController();
  let running: Promise<string[]> = Promise.resolve([]);
  const round = () => {
    running = running.then(() => doWhatIsDue(deps, works, end.signal));
    return running;
  };
  const timer = setInterval(() => void round(), limits.dailyLookMs);
  timer.unref();
  return {
    round,
    async stop() {
      clearInterval(timer);
      end.abort();
      await running;
    },
  };
}

async function doWhatIsDue(
  { db, log, metrics }: DailyDeps,
  works: readonly DailyWork[],
  signal: AbortSignal,
): Promise<string[]> {
  const done: string[] = [];
  for (const { name, run } of works) {
    if (signal.aborted) break;
    const lease = `daily.${name}`;
    // Another owner each time: whoever did it today need not do it again either.
    const owner = crypto.randomUUID();
    try {
      if (!(await holdLease(db, lease, owner, DAY_SEC))) continue;
      await run(signal);
      if (signal.aborted) throw new Error('cut short by the stop');
      done.push(name);
    } catch (error) {
      log.warn('daily', { name, error });
      metrics.count('tollgate_daily_failures_total', 'Daily work that failed, and is tried again.', {
        work: name,
      });
      await dropLease(db, lease, owner).catch(() => undefined);
    }
  }
  return done;
}

/**
 * Makes the coming months of the log, keeps it and the ledger as long as they are to be kept, and forgets who was erased to
 * the end, sessions and sign-ins of applications that are over, and tokens, gifts, tasks and figures
 * of channels of long ago.
 */
export const dailyWork = ({ db, options }: { db: Database; options: Options }): DailyWork[] => [
  { name: 'partitions', run: () => ensurePartitions(db, nowSec()) },
  { name: 'sessions', run: (signal) => deleteOutlived(db, signal) },
  { name: 'oauth', run: (signal) => forgetGrants(db, signal) },
  { name: 'unpaid', run: (signal) => removeUnpaid(db, signal) },
  { name: 'erased', run: (signal) => forgetErased(db, signal) },
  { name: 'tokens', run: (signal) => deleteForgotten(db, signal) },
  { name: 'gifts', run: () => forgetGifts(db, options) },
  { name: 'quarters', run: () => forgetQuarters({ db }) },
  { name: 'months', run: (signal) => forgetMonths(db, signal) },
  { name: 'logs', run: (signal) => forgetOldLogs({ db, options }, signal) },
  { name: 'usage', run: async (signal) => void (await foldUsage(db, signal)) },
  { name: 'tasks', run: (signal) => forgetOldTasks({ db, options }, signal) },
  {
    name: 'fold',
    async run(signal) {
      const days = options.get('log.retention_days');
      if (days > 0) await foldLedger(db, nowSec() - Math.max(days, limits.foldLeastDays) * DAY_SEC, signal);
    },
  },
];
