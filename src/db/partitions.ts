/**
 * The months of the usage log. Rows of a month without its partition fall into the default one; making the month then
 * moves them, in one transaction, because Postgres refuses a partition whose rows lie in the default.
 */
import { sql } from 'drizzle-orm';
import { takeTime } from './brief.ts';
import type { Database, Executor, Tx } from './client.ts';
import { rowsOf, SQLSTATE, sqlState } from './statement.ts';

const MONTHS_AHEAD = 3;

/**
 * Lists count rows by their index alone, which holds for pages of the table that were vacuumed since they were written: after
 * so many rows, and not only after a fifth of a month.
 */
const VACUUMED_OFTEN = sql.raw(
  'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000',
);

const monthStart = (year: number, month: number): number => Date.UTC(year, month, 1) / 1000;

/** Months are made and dropped by one process at a time. */
const lockMonths = sql`select pg_advisory_xact_lock(7202612)`;

/** Who needs the log waits behind who waits to make a month of it, or to drop one: so long, and not longer. */
const MAKE_WAIT_MS = 1_000;
const DROP_WAIT_MS = 200;

/** They move many rows and hold none that a call needs: as much time as they need, and little to wait for. */
async function holdMonths(tx: Tx, waitMs: number): Promise<void> {
  await takeTime(tx);
  await tx.execute(sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`);
  await tx.execute(lockMonths);
}

const isMade = async (orm: Executor, name: string): Promise<boolean> =>
  rowsOf(await orm.execute(sql`select 1 from pg_class where relname = ${name}`)).length > 0;

/**
 * Makes the partition of `atSec`'s month and of the next three. Safe to run twice and from several processes; waits for
 * nobody where they are there. Throws with SQLSTATE.lockNotAvailable as its cause where somebody holds the log: until the
 * month is made its rows stand in the default one.
 */
export async function ensurePartitions(db: Database, atSec: number): Promise<void> {
  const at = new Date(atSec * 1000);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const from = monthStart(at.getUTCFullYear(), at.getUTCMonth() + ahead);
    const to = monthStart(at.getUTCFullYear(), at.getUTCMonth() + ahead + 1);
    const name = `logs_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
    if (await isMade(db.orm, name)) continue;
    await makeMonth(db, { name, from, to }).catch((cause: unknown) => {
      if (sqlState(cause) !== SQLSTATE.lockNotAvailable) throw cause;
      throw new Error(`${name} is not made yet: somebody has held the log for too long`, { cause });
    });
  }
}

const makeMonth = (db: Database, { name, from, to }: { name: string; from: number; to: number }) =>
  db.orm.transaction(async (tx) => {
    await holdMonths(tx, MAKE_WAIT_MS);
    // Another process may have made it meanwhile.
    if (await isMade(tx, name)) return;
    const range = sql.raw(`from (${from}) to (${to})`);
    const table = sql.raw(name);
    await tx.execute(sql`create table ${table} (like logs including defaults) with (${VACUUMED_OFTEN})`);
    await tx.execute(sql`with moved as (delete from only logs_default where created_at >= ${from} and created_at < ${to} returning *)
      insert into ${table} select * from moved`);
    await tx.execute(sql`alter table logs attach partition ${table} for values ${range}`);
  });

/** What became of months that were to be dropped. */
interface DroppedMonths {
  /** How many rows they had. */
  rows: number;
  /** Those that somebody was reading or writing for too long, which stay. */
  kept: string[];
  /** The second at which the last of these ends; 0 for none. */
  keptUntil: number;
}

/** Drops the months that end at this second or before it, instead of their rows one by one, each by itself. */
export async function dropMonthsBefore(db: Database, beforeSec: number): Promise<DroppedMonths> {
  const months: DroppedMonths = { rows: 0, kept: [], keptUntil: 0 };
  const tables = rowsOf<{ name: string }>(
    await db.orm.execute(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'logs'::regclass and c.relname ~ '^logs_[0-9]{4}_[0-9]{2}$' order by c.relname`),
  );
  for (const { name } of tables) {
    const [year = 0, month = 0] = name.split('_').slice(1).map(Number);
    if (monthStart(year, month) > beforeSec) break;
    try {
      months.rows += await dropMonth(db, name);
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error;
      months.kept.push(name);
      months.keptUntil = monthStart(year, month);
    }
  }
  return months;
}

const dropMonth = (db: Database, name: string): Promise<number> =>
  db.orm.transaction(async (tx) => {
    await holdMonths(tx, DROP_WAIT_MS);
    const [row] = rowsOf<{ n: number }>(
      await tx.execute(sql`select count(*)::bigint as n from ${sql.raw(name)}`),
    );
    await tx.execute(sql`drop table ${sql.raw(name)}`);
    return row?.n ?? 0;
  });
