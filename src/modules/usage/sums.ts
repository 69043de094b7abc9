/**
 * Sums of charged calls over steps of time. Whole hours come from the hourly figures, which outlive the log; only where a
 * step begins or ends within an hour are its calls looked up one by one.
 */
import { type SQL, sql } from 'drizzle-orm';
import { HOUR_SEC } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { numberList, rowsOf } from '../../db/statement.ts';
import { LOG_TYPE } from '../log/service.ts';
import type { UsageSums } from './contract.ts';
import type { Dimension, Metric } from './facts.ts';

/** Unix seconds, both inclusive. */
interface Time {
  from: number;
  to: number;
}

export interface UsageFilter {
  /** Whose; everybody's when absent. */
  userId?: number | undefined;
}

/** Columns that the hourly figures and the log call alike. */
const COLUMNS: Record<Dimension, SQL> = {
  model: sql.raw('model_name'),
  token: sql.raw('token_id'),
  group: sql.raw('group_name'),
  user: sql.raw('user_id'),
  channel: sql.raw('channel_id'),
};

const METRIC: Record<Metric, SQL> = {
  quota: sql.raw('quota'),
  calls: sql.raw('calls'),
  tokens: sql.raw('prompt_tokens + completion_tokens'),
};

const SUMS = sql.raw(
  ['calls', 'quota', 'prompt_tokens', 'completion_tokens']
    .map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`)
    .join(', '),
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

/** All that was charged in the steps, row by row: `step`, the value of the dimension and the sums. */
function parts(starts: readonly number[], time: Time, filter: UsageFilter, dimension: SQL): SQL {
  const { firstHour, lastHour, pieces } = cutAtHours(starts, time);
  const list = (pick: (piece: Piece) => number) => sql`${numberList(pieces.map(pick))}::bigint[]`;
  return sql`
    select width_bucket(hour, (select days from starts))::bigint as step, ${dimension} as value, calls, quota,
      prompt_tokens, completion_tokens
    from usage_hourly
    where hour >= ${firstHour}::bigint and hour < ${lastHour}::bigint and ${condition(filter)}
    union all
    select p.step, l.value, p.sign, l.quota * p.sign, l.prompt_tokens * p.sign, l.completion_tokens * p.sign
    from unnest(${list((p) => p.from)}, ${list((p) => p.to)}, ${list((p) => p.step)}, ${list((p) => p.sign)})
      as p(first, last, step, sign)
      cross join lateral (
        select ${dimension} as value, quota, prompt_tokens, completion_tokens from logs
        where created_at >= p.first and created_at <= p.last and type = ${LOG_TYPE.consumption}::smallint
          and ${condition(filter)}
      ) l`;
}

const startsOf = (starts: readonly number[]): SQL =>
  sql`starts as materialized (select ${numberList(starts)}::bigint[] as days)`;

export interface StepSums extends UsageSums {
  /** From 0. */
  step: number;
  /** Null for what is not among the first. */
  value: string | null;
}

/** By step and by value of a dimension, of the `most` values with most of the metric; the rest together. */
export async function sumsByStep(
  tx: Tx,
  question: {
    starts: readonly number[];
    time: Time;
    filter: UsageFilter;
    dimension: Dimension;
    metric: Metric;
    most: number;
  },
): Promise<{ rows: StepSums[]; values: number }> {
  const { starts, time, filter, dimension, metric, most } = question;
  const rows = rowsOf<StepSums & { values: number }>(
    await tx.execute(sql`
      with ${startsOf(starts)}, part as (${parts(starts, time, filter, COLUMNS[dimension])}),
      summed as materialized (select step, value, ${SUMS} from part group by step, value),
      ranked as materialized (
        select value from summed group by value having sum(calls) > 0
        order by sum(${METRIC[metric]}) desc, value limit ${most}
      )
      select step - 1 as step, case when value in (select value from ranked) then value::text end as value,
        (select count(*) from (select 1 from summed group by value having sum(calls) > 0) v)::bigint as values, ${SUMS}
      from summed group by 1, 2 order by 1, 2`),
  );
  return { rows, values: rows[0]?.values ?? 0 };
}

/** Everything of a time together. */
export async function sumAll(tx: Tx, time: Time, filter: UsageFilter): Promise<UsageSums> {
  const starts = [time.from];
  const [row] = rowsOf<UsageSums>(
    await tx.execute(sql`
      with ${startsOf(starts)}, part as (${parts(starts, time, filter, sql`0`)}) select ${SUMS} from part`),
  );
  return row ?? { calls: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
}

/** The first hour of which anything is known; undefined when there is none. */
export async function firstKnownHour(tx: Tx, filter: UsageFilter): Promise<number | undefined> {
  const [row] = rowsOf<{ first: number | null }>(
    await tx.execute(sql`select min(hour) as first from usage_hourly where ${condition(filter)}`),
  );
  return row?.first ?? undefined;
}
