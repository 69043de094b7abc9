/** Reads whose cost the caller's filters decide: one snapshot, read only, and never longer than the deadline. */
import { sql } from 'drizzle-orm';
import type { Database, Tx } from './client.ts';

/**
 * Runs `read` in a read-only transaction; the database breaks it off after `ms`, with SQLSTATE 57014. PGlite has no
 * timer to break anything off: there the deadline has no effect.
 */
export const boundedRead = <T>(db: Database, ms: number, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.orm.transaction(
    async (tx) => {
      await tx.execute(sql`select set_config('statement_timeout', ${String(ms)}, true)`);
      return read(tx);
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
