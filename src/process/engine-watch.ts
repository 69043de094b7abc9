/**
 * An embedded database runs in this process: when its engine has broken, nothing but a new process mends it. One that
 * stays broken ends the process, so that a supervisor starts it anew; what was to be settled waits on disk.
 */
import pTimeout from 'p-timeout';
import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import { sqlState } from '../db/statement.ts';
import { type Rounds, startRounds } from '../jobs/rounds.ts';
import type { Logger } from '../platform/logger.ts';

/** `onBroken` is called once. */
export function watchEngine(
  { db, log }: { db: Pick<Database, 'engine' | 'query'>; log: Logger },
  onBroken: () => void,
): Rounds {
  let faults = 0;
  return startRounds({
    everyMs: limits.engineWatchMs,
    make: async () => {
      if (db.engine !== 'pglite' || faults >= limits.engineFaults) return faults;
      const fault = await faultOf(db);
      faults = fault === null ? 0 : faults + 1;
      if (fault !== null && faults === limits.engineFaults) {
        log.error('database.broken', {
          error: fault,
          advice: 'the embedded database has broken; the process ends and must be started anew',
        });
        onBroken();
      }
      return faults;
    },
    onFault: (error) => log.error('database.watch', { error }),
  });
}

/** What a question meets that no engine refuses; an engine that answers with an error of its own is well. */
async function faultOf(db: Pick<Database, 'query'>): Promise<unknown> {
  const asked = db.query('select 1').then(
    () => null,
    (error: unknown) => (sqlState(error) ? null : (error ?? new Error('no reason'))),
  );
  return pTimeout(asked, {
    milliseconds: limits.engineAnswerMs,
    fallback: () => new Error('no answer'),
  });
}
