/**
 * The months of the usage log. Rows of a month without its partition fall into the default one; making the month then
 * moves them, in one transaction, because Postgres refuses a partition whose rows lie in the default.
 */
import { sql } from 'drizzle-orm';
import type { Database } from './client.ts';
import { rowsOf } from './statement.ts';

const MONTHS_AHEAD = 3;

const monthStart = (year: number, month: number): number => Date.UTC(year, month, 1) / 1000;

/** Months are made and dropped by one process at a time. */
const lockMonths = sql`select pg_advisory_xact_lock(7202612)`;

/** Makes the partition of `atSec`'s month and of the next three. Safe to run twice and from several processes. */
export async function ensurePartitions(db: Database, atSec: number): Promise<void> {
  const at = new Date(atSec * 1000);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const from = monthStart(at.getUTCFullYear(), at.getUTCMonth() + ahead);
    const to = monthStart(at.getUTCFullYear(), at.getUTCMonth() + ahead + 1);
    const name = `logs_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
    await db.orm.transaction(async (tx) => {
      // The lock makes processes wait for one another; then the second one finds the table there.
      await tx.execute(lockMonths);
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

/** Whoever reads or writes the log waits behind who waits to drop a month: so long, and not longer. */
const DROP_WAIT_MS = 200;

/** Drops the months that end at this second or before it, instead of their rows one by one; how many rows they had. */
export async function dropMonthsBefore(db: Database, beforeSec: number): Promise<number> {
  let dropped = 0;
  const tables = rowsOf<{ name: string }>(
    await db.orm.execute(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'logs'::regclass and c.relname ~ '^logs_[0-9]{4}_[0-9]{2}$' order by c.relname`),
  );
  for (const { name } of tables) {
    const [year = 0, month = 0] = name.split('_').slice(1).map(Number);
    if (monthStart(year, month) > beforeSec) break;
    await db.orm.transaction(async (tx) => {
      await tx.execute(lockMonths);
      await tx.execute(sql`select set_config('lock_timeout', ${`${DROP_WAIT_MS}ms`}, true)`);
      const [row] = rowsOf<{ n: number }>(
        await tx.execute(sql`select count(*)::bigint as n from ${sql.raw(name)}`),
      );
      await tx.execute(sql`drop table ${sql.raw(name)}`);
      dropped += row?.n ?? 0;
    });
  }
  return dropped;
}
