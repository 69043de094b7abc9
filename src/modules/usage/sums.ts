/**
 * Sums of calls over steps of time. Whole parts of days come folded, other whole hours from the hourly figures, which
 * outlive the log; only where a step begins or ends within an hour are its charged calls looked up one by one. Calls that
 * came to nothing are known by the hour alone: an hour of them belongs to the step in which it begins.
 */
import { type SQL, sql } from 'drizzle-orm';
import { LOG_TYPE } from '../../core/log-types.ts';
import { HOUR_SEC } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { numberList, rowsOf } from '../../db/statement.ts';
import type { UsageSums } from './contract.ts';
import type { Dimension, Metric } from './facts.ts';
import { COLUMN_OF, EVERYBODY, FOLDED_DIMENSIONS } from './fold.ts';
import { cutAtParts, EACH } from './parts.ts';

/** Unix seconds, both inclusive. */
interface Time {
  from: number;
  to: number;
}

export interface UsageFilter {
  /** Whose; everybody's when absent. */
  userId?: number | undefined;
}

const columnOf = (dimension: Dimension): SQL => sql.raw(`${COLUMN_OF[dimension]}::text`);

/** By which metric the first are told from the rest; of times, who had most of them. */
const METRIC: Record<Metric, SQL> = {
  quota: sql.raw('quota'),
  calls: sql.raw('calls'),
  tokens: sql.raw('prompt_tokens + completion_tokens'),
  cached: sql.raw('cached_tokens'),
  first: sql.raw('first_calls'),
  failed: sql.raw('failed'),
};

const CHARGED = [
  'calls',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'first_ms',
  'first_calls',
] as const;

const charged = sql.raw(CHARGED.join(', '));
const SUMS = sql.raw(
  [...CHARGED, 'failed'].map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', '),
);

const condition = ({ userId }: UsageFilter): SQL =>
  userId === undefined ? sql`true` : sql`user_id = ${userId}::bigint`;

/** A part of an hour, which is added to a step or, of an hour that was counted whole, taken from one. */
interface Piece extends Time {
  step: number;
  sign: 1 | -1;
}

/** The hours that count whole, [firstHour, lastHour), and the parts of others. Steps count from 1. */
export function cutAtHours(starts: readonly number[], { from, to }: Time) {
  const end = to + 1;
  const firstHour = Math.ceil(from / HOUR_SEC) * HOUR_SEC;
  const lastHour = Math.floor(end / HOUR_SEC) * HOUR_SEC;
  const pieces: Piece[] = [];
  if (firstHour > lastHour) {
    // Within one hour: its steps are its parts.
    for (const [n, start] of starts.entries()) {
      pieces.push({ from: start, to: (starts[n + 1] ?? end) - 1, step: n + 1, sign: 1 });
    }
    return { firstHour: 0, lastHour: 0, pieces };
  }
  const stepAt = (at: number): number => starts.findLastIndex((start) => start <= at) + 1;
  /** A part of an hour, cut once more where steps begin in it. */
  const add = (part: Time) => {
    const inner = starts.filter((start) => start > part.from && start <= part.to);
    for (const [n, at] of [part.from, ...inner].entries()) {
      pieces.push({ from: at, to: (inner[n] ?? part.to + 1) - 1, step: stepAt(at), sign: 1 });
    }
  };
  if (from < firstHour) add({ from, to: firstHour - 1 });
  if (lastHour < end) add({ from: lastHour, to });
  // A step that begins within a whole hour: the hour went to the step before.
  for (const start of starts) {
    if (start <= firstHour || start >= lastHour || start % HOUR_SEC === 0) continue;
    const part = { from: start, to: (Math.floor(start / HOUR_SEC) + 1) * HOUR_SEC - 1 };
    const hour = part.to + 1 - HOUR_SEC;
    pieces.push({ ...part, step: stepAt(start), sign: 1 }, { ...part, step: stepAt(hour), sign: -1 });
  }
  return { firstHour, lastHour, pieces };
}

/** Numbers of a row's `other` that are told as numbers. */
const told = (name: string, none: number): SQL =>
  sql.raw(
    `case when jsonb_typeof(other -> '${name}') = 'number' then greatest((other ->> '${name}')::numeric::bigint, ${none}) else ${none} end`,
  );

/** All that was charged or failed in the steps, row by row: `step`, the value of the dimension and the sums. */
async function partsOf(
  tx: Tx,
  { starts, time, filter, dimension }: Pick<Question, 'starts' | 'time' | 'filter' | 'dimension'>,
): Promise<SQL> {
  const cut = cutAtHours(starts, time);
  const { parts, hours } = await cutAtParts(tx, starts, cut);
  const list = (pick: (piece: Piece) => number) => sql`${numberList(cut.pieces.map(pick))}::bigint[]`;
  const { userId } = filter;
  const value = columnOf(dimension);
  // A user's own figures are not told apart by users once more: his are among everybody's.
  const isOwn = userId !== undefined && dimension !== 'user';
  const firstFailed = time.from - (time.from % HOUR_SEC);
  const step = (at: SQL) => sql`greatest(width_bucket(${at}, (select days from starts)), 1)::bigint as step`;
  return sql`
    select ${step(sql`part`)}, value, ${charged}, 0 as failed from usage_folded
    where user_id = ${isOwn ? userId : EVERYBODY}::bigint and dimension = ${FOLDED_DIMENSIONS[dimension]}::smallint
      and part = any(${numberList(parts)}::bigint[])
      ${userId !== undefined && !isOwn ? sql`and value = ${String(userId)}` : sql``}
    union all
    select ${step(sql`hour`)}, value, ${charged}, 0
    from unnest(${numberList(hours.map(([from]) => from))}::bigint[], ${numberList(hours.map(([, to]) => to))}::bigint[])
        as t(first, last)
      cross join lateral (
        select hour, ${value} as value, ${charged} from usage_hourly
        where hour >= t.first and hour < t.last and ${condition(filter)} ${EACH}
      ) h
    union all
    select p.step, l.value, p.sign, l.quota * p.sign, l.prompt_tokens * p.sign, l.completion_tokens * p.sign,
      l.cached * p.sign, greatest(l.first, 0) * p.sign, case when l.first >= 0 then p.sign else 0 end, 0
    from unnest(${list((p) => p.from)}, ${list((p) => p.to)}, ${list((p) => p.step)}, ${list((p) => p.sign)})
      as p(first, last, step, sign)
      cross join lateral (
        select ${value} as value, quota, prompt_tokens, completion_tokens, ${told('cache_tokens', 0)} as cached,
          ${told('frt', -1)} as first
        from logs
        where created_at >= p.first and created_at <= p.last and type = ${LOG_TYPE.consumption}::smallint
          and ${condition(filter)} ${EACH}
      ) l
    union all
    select ${step(sql`hour`)}, ${value}, 0, 0, 0, 0, 0, 0, 0, calls from failures_hourly
    where hour >= ${firstFailed}::bigint and hour <= ${time.to}::bigint and ${condition(filter)}`;
}

const startsOf = (starts: readonly number[]): SQL =>
  sql`starts as materialized (select ${numberList(starts)}::bigint[] as days)`;

/** Sums as they add up: of the time to the first content all of it, and of how many calls it is. */
export interface Summed extends Omit<UsageSums, 'first_ms'> {
  first_ms: number;
  first_calls: number;
  failed: number;
}

export interface StepSums extends Summed {
  /** From 0. */
  step: number;
  /** Null for what is not among the first. */
  value: string | null;
}

export interface Question {
  starts: readonly number[];
  time: Time;
  filter: UsageFilter;
  dimension: Dimension;
  metric: Metric;
  most: number;
}

/** By step and by value of a dimension, of the `most` values with most of the metric; the rest together. */
export async function sumsByStep(tx: Tx, question: Question): Promise<{ rows: StepSums[]; values: number }> {
  const { starts, metric, most } = question;
  const rows = rowsOf<StepSums & { values: number }>(
    await tx.execute(sql`
      with ${startsOf(starts)}, part as (${await partsOf(tx, question)}),
      summed as materialized (select step, value, ${SUMS} from part group by step, value),
      ranked as materialized (
        select value from summed group by value having sum(calls) + sum(failed) > 0
        order by sum(${METRIC[metric]}) desc, value limit ${most}
      )
      select step - 1 as step, case when value in (select value from ranked) then value end as value,
        (select count(*) from (select 1 from summed group by value having sum(calls) + sum(failed) > 0) v)::bigint as values,
        ${SUMS}
      from summed group by 1, 2 order by 1, 2`),
  );
  return { rows, values: rows[0]?.values ?? 0 };
}

/** Everything of a time together. */
export async function sumAll(tx: Tx, time: Time, filter: UsageFilter): Promise<Summed> {
  const starts = [time.from];
  // The dimension with fewest values.
  const parts = await partsOf(tx, { starts, time, filter, dimension: 'group' });
  const [row] = rowsOf<Summed>(
    await tx.execute(sql`with ${startsOf(starts)}, part as (${parts}) select ${SUMS} from part`),
  );
  return row ?? NOTHING;
}

export const NOTHING: Summed = {
  calls: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  first_ms: 0,
  first_calls: 0,
  failed: 0,
};

/** The first hour of which anything is known; undefined when there is none. */
export async function firstKnownHour(tx: Tx, filter: UsageFilter): Promise<number | undefined> {
  const [row] = rowsOf<{ first: number | null }>(
    await tx.execute(sql`select min(hour) as first from usage_hourly where ${condition(filter)}`),
  );
  return row?.first ?? undefined;
}

/** Failures before this second are no longer kept, as the log is not; 0 while all are. */
export async function failuresKeptFrom(tx: Tx): Promise<number> {
  const [row] = rowsOf<{ since: number | null }>(
    await tx.execute(sql`select max(value::bigint) as since from meta where name = 'logs_from'`),
  );
  return row?.since ?? 0;
}
