/**
 * Transactions that write hold rows that money may need. Each gives up well before a money statement would, where it waits
 * for a row of another or where its own process leaves it waiting; then it is as if it had never begun. What only reads
 * holds up nobody, and single statements hold nothing while they wait for their process.
 */
import { sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import type { Orm, Tx } from './orm.ts';

const waitAtMost = (tx: Tx, ms: number) =>
  tx.execute(sql`select set_config('lock_timeout', ${String(ms)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(ms)}, true)`);

/** The same, whose transactions that write fail as the database's own refusals do when they wait for too long. */
export function withBriefLocks(orm: Orm): Orm {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = (work, config) =>
    config?.accessMode === 'read only'
      ? transaction(work, config)
      : transaction(async (tx) => {
          await waitAtMost(tx, limits.changeWaitMs);
          return work(tx);
        }, config);
  return orm;
}

/** For a transaction that locks nothing that a call needs, and that others of its kind wait for. */
export const takeTime = (tx: Tx) => waitAtMost(tx, 0);
