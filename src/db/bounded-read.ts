/**
 * Reads whose cost the caller's filters decide: one snapshot, read only, few at once and never longer than the deadline; and
 * whoever asks, on connections of those that are waited for, where they hold up none of the server's own work.
 */
import { sql } from 'drizzle-orm';
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { onceOf } from '../core/once-of.ts';
import { shareOfUser } from '../core/share.ts';
import { createFairGate, type FairGate, type Turn } from '../platform/fair-gate.ts';
import { awaited, turnOfWork } from '../platform/on-behalf.ts';
import type { Database, Tx } from './client.ts';
import { SQLSTATE, sqlState } from './statement.ts';

const gateOf = onceOf(
  (db: Database): FairGate =>
    createFairGate({
      atOnce: db.engine === 'pglite' ? 1 : limits.logReadsAtOnce,
      ofOneAtOnce: limits.logReadsOfOneAtOnce,
      waitingMax: limits.logReadsWaiting,
      ofOneWaitingMax: limits.logReadsOfOneWaiting,
    }),
);

/**
 * Runs `read` in a read-only transaction; the database breaks off a statement after `ms`. PGlite has no timer to
 * break anything off: there the deadline has no effect, and after each read the next one waits, so that whatever is asked
 * leaves half of its one thread to money and to calls. Readers take turns, and so do their networks: whose turn a call of
 * the console takes is known; elsewhere it is the user's, or of whom `reader` names. Throws LOG_TIMEOUT
 * when it was broken off, RATE_LIMIT when too much of this reader's waits already, OVERLOADED when too many others wait.
 */
export async function boundedRead<T>(
  db: Database,
  { reader, ms }: { reader: number | string; ms: number },
  read: (tx: Tx) => Promise<T>,
): Promise<T> {
  const leave = await gateOf(db).enter(turnFor(reader));
  let beganAt = performance.now();
  try {
    return await awaited(() =>
      db.orm.transaction(
        async (tx) => {
          // The time in which it waited for others is none that it took.
          beganAt = performance.now();
          await tx.execute(sql`select set_config('statement_timeout', ${String(ms)}, true)`);
          return read(tx);
        },
        { isolationLevel: 'repeatable read', accessMode: 'read only' },
      ),
    );
  } catch (error) {
    throw sqlState(error) === SQLSTATE.queryCanceled ? fail('LOG_TIMEOUT', { cause: error }) : error;
  } finally {
    // Whoever asked has his answer meanwhile.
    if (db.engine === 'pglite') {
      setTimeout(leave, (performance.now() - beganAt) * limits.embeddedReadRests);
    } else leave();
  }
}

function turnFor(reader: number | string): Turn {
  const turn = turnOfWork();
  return { ...turn, who: typeof reader === 'string' ? reader : (turn?.who ?? shareOfUser(reader)) };
}
