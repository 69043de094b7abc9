/**
 * The months of the usage log. Rows of a month without its partition fall into the default one; making the month then
 * moves them, in one transaction, because Postgres refuses a partition whose rows lie in the default.
 */
import { sql } from 'drizzle-orm';
import type { Database } from './client.ts';
import { rowsOf } from './statement.ts';

const MONTHS_AHEAD = 3;

const monthStart = (year: number, month: number): number => Date.UTC(year, month, 1) / 1000;

/** Makes the partition of `atSec`'s month and of the next three. Safe to run twice and from several processes. */
export async function ensurePartitions(db: Database, atSec: number): Promise<void> {
  const at = new Date(atSec * 1000);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const from = monthStart(at.getUTCFullYear(), at.getUTCMonth() + ahead);
    const to = monthStart(at.getUTCFullYear(), at.getUTCMonth() + ahead + 1);
    const name = `logs_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
    await db.orm.transaction(async (tx) => {
      // The lock makes processes wait for one another; then the second one finds the table there.
      await tx.execute(sql`select pg_advisory_xact_lock(7202612)`);
      const found = rowsOf(await tx.execute(sql`select 1 from pg_class where relname = ${name}`));
      if (found.length > 0) return;
      const range = sql.raw(`from (${from}) to (${to})`);
      const table = sql.raw(name);
      await tx.execute(sql`create table ${table} (like logs including defaults)`);
      await tx.execute(sql`with moved as (delete from only logs_default where created_at >= ${from} and created_at < ${to} returning *)
        insert into ${table} select * from moved`);
      await tx.execute(sql`alter table logs attach partition ${table} for values ${range}`);
    });
  }
}
