/**
 * Counts and sums over the log. Whole hours come from the hourly figures, which are written with each charge in one
 * statement, so that they are exact; only the pieces of hours at both ends are counted row by row.
 */
import { sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { HOUR_SEC } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';
import { isOfUsage, type LogFilter, logCondition, timedLogCondition, usageCondition } from './filter.ts';

export interface Sums {
  calls: number;
  /** Quota units. */
  quota: number;
  /** Prompt and completion tokens. */
  tokens: number;
}

export interface Total {
  total: number;
  /** True when there are more rows than were counted. */
  capped: boolean;
}

/** How many rows the filter has: exact where the hourly figures know it, else counted up to a bound. */
export async function countLogs(tx: Tx, filter: LogFilter): Promise<Total> {
  if (isOfUsage(filter)) {
    const { calls } = await sumUsage(tx, filter);
    return { total: calls - (await countUnlogged(tx, filter)), capped: false };
  }
  const [row] = rowsOf<{ n: number }>(
    await tx.execute(sql`
      select count(*)::int as n
      from (select 1 from logs where ${timedLogCondition(filter)} limit ${limits.countCap + 1}) as counted`),
  );
  const n = row?.n ?? 0;
  return { total: Math.min(n, limits.countCap), capped: n > limits.countCap };
}

/** Calls of the whole hours that were charged without a row. */
async function countUnlogged(tx: Tx, filter: LogFilter): Promise<number> {
  const { firstHour, lastHour } = spans(filter, await oldestUse(tx));
  const [row] = rowsOf<{ n: number }>(
    await tx.execute(sql`
      select coalesce(sum(calls), 0)::bigint as n from usage_unlogged
      where hour >= ${firstHour}::bigint and hour < ${lastHour}::bigint and ${usageCondition(filter)}`),
  );
  return row?.n ?? 0;
}

/**
 * Sums over all rows of the filter: exact where the hourly figures know them, else over the newest up to a bound, because
 * a process with an embedded database does nothing else meanwhile.
 */
export async function sumLogs(tx: Tx, filter: LogFilter): Promise<Sums & Pick<Total, 'capped'>> {
  if (isOfUsage(filter)) return { ...(await sumUsage(tx, filter)), capped: false };
  const newest = one(
    await tx.execute(sql`
      with newest as (
        select row_number() over (order by created_at desc, id desc) as n, quota,
          prompt_tokens + completion_tokens as tokens
        from (
          select * from logs where ${timedLogCondition(filter)}
          order by created_at desc, id desc limit ${limits.countCap + 1}
        ) as rows
      )
      select count(*)::bigint as calls,
        coalesce(sum(quota) filter (where n <= ${limits.countCap}), 0)::bigint as quota,
        coalesce(sum(tokens) filter (where n <= ${limits.countCap}), 0)::bigint as tokens
      from newest`),
  );
  const capped = newest.calls > limits.countCap;
  return { ...newest, calls: Math.min(newest.calls, limits.countCap), capped };
}

const FOREVER = Number.MAX_SAFE_INTEGER;

async function sumUsage(tx: Tx, filter: LogFilter): Promise<Sums> {
  const { start, firstHour, lastHour, end } = spans(filter, await oldestUse(tx));
  return one(
    await tx.execute(sql`
      with parts as (
        select calls, quota, prompt_tokens + completion_tokens as tokens from usage_hourly
        where hour >= ${firstHour}::bigint and hour < ${lastHour}::bigint and ${usageCondition(filter)}
        union all
        select 1, quota, prompt_tokens + completion_tokens from logs
        where created_at >= ${start}::bigint and created_at < ${firstHour}::bigint and ${logCondition(filter)}
        union all
        select 1, quota, prompt_tokens + completion_tokens from logs
        where created_at >= ${lastHour}::bigint and created_at < ${end}::bigint and ${logCondition(filter)}
      )
      select coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(quota), 0)::bigint as quota,
        coalesce(sum(tokens), 0)::bigint as tokens from parts`),
  );
}

/** The oldest second that the log still holds, or would: what retention took away counts for nothing. */
async function oldestUse(tx: Tx): Promise<number> {
  const [row] = rowsOf<{ oldest: number | null }>(
    await tx.execute(sql`
      select least((select min(created_at) from logs), (select min(hour) from usage_unlogged)) as oldest`),
  );
  return row?.oldest ?? 0;
}

/** The whole hours of a time, [firstHour, lastHour), and the pieces before and behind them, from `start` and up to `end`. */
export function spans({ from = 0, to }: Pick<LogFilter, 'from' | 'to'>, oldest: number) {
  const start = Math.max(from, oldest);
  const end = to === undefined ? FOREVER : to + 1;
  const firstHour = Math.ceil(start / HOUR_SEC) * HOUR_SEC;
  const lastHour = end === FOREVER ? FOREVER : Math.floor(end / HOUR_SEC) * HOUR_SEC;
  // Within one hour there is no whole one: all of it is the first piece.
  return firstHour <= lastHour
    ? { start, firstHour, lastHour, end }
    : { start, firstHour: end, lastHour: end, end };
}

function one(result: unknown): Sums {
  const [row] = rowsOf<Sums>(result);
  return row ?? { calls: 0, quota: 0, tokens: 0 };
}
