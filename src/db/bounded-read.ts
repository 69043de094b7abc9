/** Reads whose cost the caller's filters decide: one snapshot, read only, few at once and never longer than the deadline. */
import { sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import { createGate, type Gate } from '../platform/gate.ts';
import type { Database, Tx } from './client.ts';

const gates = new WeakMap<Database, Gate>();

function gateOf(db: Database): Gate {
  let gate = gates.get(db);
  if (!gate) {
    gate = createGate(limits.logReadsAtOnce, limits.logReadsWaiting);
    gates.set(db, gate);
  }
  return gate;
}

/**
 * Runs `read` in a read-only transaction; the database breaks off a statement after `ms`, with SQLSTATE 57014. PGlite
 * has no timer to break anything off: there the deadline has no effect. Throws OVERLOADED when too many wait.
 */
export const boundedRead = <T>(db: Database, ms: number, read: (tx: Tx) => Promise<T>): Promise<T> =>
  gateOf(db).run(() =>
    db.orm.transaction(
      async (tx) => {
        await tx.execute(sql`select set_config('statement_timeout', ${String(ms)}, true)`);
        return read(tx);
      },
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    ),
  );
