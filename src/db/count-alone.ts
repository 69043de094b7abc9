/** Rows of a user's of which there is a most: whoever adds one counts them with nobody beside him. */
import { sql } from 'drizzle-orm';
import type { Tx } from './client.ts';

/** Classes of advisory locks, by what is counted. */
const LOCKS = { tokens: 7_202_613, tasks: 7_202_616 } as const;

/**
 * Two that add to what a user has wait for one another until the transaction is over. The count must be in a later
 * statement, which sees what was added before.
 */
export async function countAlone(tx: Tx, what: keyof typeof LOCKS, userId: number): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(${LOCKS[what]}::int, (${userId}::bigint % 2147483647)::int)`,
  );
}
