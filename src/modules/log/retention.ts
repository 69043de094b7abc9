/** The log is kept so many days, as its option says. Hourly figures and ledger stay: what was used and paid is still known. */
import { type SQL, sql } from 'drizzle-orm';
import { noteLogsDeleted } from '../../billing/audit.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC, HOUR_SEC, nowSec } from '../../core/time.ts';
import { dropMonthsBefore } from '../../db/partitions.ts';
import { inSlices } from '../../db/slices.ts';
import type { Deps } from '../deps.ts';

/** Deletes what is older than the log is kept; ends early when the signal aborts. */
export async function forgetOldLogs(
  { db, options }: Pick<Deps, 'db' | 'options'>,
  signal: AbortSignal,
): Promise<void> {
  const days = options.get('log.retention_days');
  if (days === 0) return;
  const now = nowSec();
  // Whole days, so that a day's work is not the seconds that passed since the last.
  const before = now - (now % DAY_SEC) - days * DAY_SEC;
  if (before > 0) await deleteBefore({ db }, before, signal);
}

/**
 * Deletes the rows before a second, whole months at once and the rest in slices that hold up nobody, and what tells of
 * rows that are not there. Answers how many rows went. Throws, all else done, while somebody holds a month: it is left for
 * the next time rather than deleted row by row.
 */
export async function deleteBefore(
  { db }: Pick<Deps, 'db'>,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  // First, so that a stop in the middle leaves no hour that is compared and not whole.
  await db.orm.transaction((tx) => noteLogsDeleted(tx, before));
  const months = await dropMonthsBefore(db, before);
  const most = limits.logsDeletedAtOnce;
  const bySlices = (slice: SQL) => inSlices(most, () => db.orm.execute(slice), signal);
  const deleted = await bySlices(sql`
    with gone as (
      delete from logs l using (
        select id, created_at from logs
        where created_at < ${before}::bigint and created_at >= ${months.keptUntil}::bigint
        order by created_at, id limit ${most}
      ) old where l.id = old.id and l.created_at = old.created_at returning 1
    )
    select count(*)::bigint as n from gone`);
  const hour = before - (before % HOUR_SEC);
  for (const table of [sql`usage_unlogged`, sql`failures_hourly`]) {
    await bySlices(sql`
      with gone as (
        delete from ${table} where ctid in (
          select ctid from ${table} where hour < ${hour}::bigint limit ${most}
        ) returning 1
      )
      select count(*)::bigint as n from gone`);
  }
  if (months.kept.length > 0) throw new Error(`in use, and not dropped: ${months.kept.join(', ')}`);
  return months.rows + deleted;
}
