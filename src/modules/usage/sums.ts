/**
 * Sums of calls over steps of time. Whole parts of days come folded, and the hours of others where these are folded, too;
 * other whole hours come from the hourly figures, which outlive the log; only where a step begins or ends within an hour are
 * its charged calls looked up one by one. Calls that came to nothing are known by the hour alone: an hour of them belongs to
 * the step in which it begins.
 */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { DAY_PART_SEC, HOUR_SEC } from '../../core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS } from '../../core/usage-folds.ts';
import type { Tx } from '../../db/client.ts';
import { numberList, rowsOf, textList } from '../../db/statement.ts';
import type { FirstSpread, UsageSums } from './contract.ts';
import type { Dimension, Metric } from './facts.ts';
import { CHARGED, COLUMN_OF, EVERYBODY, FOLDED_BY_HOUR, hourlyFigures, SUMMED } from './fold.ts';
import { condition, cutAtHours, type Time, type UsageFilter } from './hours.ts';
import { type Cut, cutAtParts, EACH, type Hours } from './parts.ts';

const columnOf = (dimension: Dimension): SQL => sql.raw(`${COLUMN_OF[dimension]}::text`);

const IDS: ReadonlySet<Dimension> = new Set(['token', 'user', 'channel']);

/** Rows of these values; ids are compared as what they are, of which thousands would be made texts first. */
const isAmong = (dimension: Dimension, values: readonly string[]): SQL => {
  const column = sql.raw(COLUMN_OF[dimension]);
  return IDS.has(dimension)
    ? sql`${column} = any(${numberList(values.map(Number))}::bigint[])`
    : sql`${column} = any(${textList(values)}::text[])`;
};

/** By which metric the first are told from the rest; of times, who had most of them. */
const METRIC: Record<Metric, SQL> = {
  quota: sql.raw('quota'),
  calls: sql.raw('calls'),
  tokens: sql.raw('prompt_tokens + completion_tokens'),
  input: sql.raw('prompt_tokens'),
  output: sql.raw('completion_tokens'),
  cached: sql.raw('cached_tokens'),
  first: sql.raw('first_calls'),
  failed: sql.raw('failed'),
};

const summed = sql.raw(SUMMED.join(', '));
const SUMS = sql.raw(SUMMED.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', '));

/** Numbers of a row's `other` that are told as numbers. */
const told = (name: string, none: number): SQL =>
  sql.raw(
    `case when jsonb_typeof(other -> '${name}') = 'number' then greatest((other ->> '${name}')::numeric::bigint, ${none}) else ${none} end`,
  );

const step = (at: SQL): SQL =>
  sql`greatest(width_bucket(${at}, (select days from starts)), 1)::bigint as step`;

/** What was folded, and the hours that were not: `step`, the value of the dimension and the sums. */
function wholeHours(
  { spans, parts, foldedHours, hours }: Cut,
  { filter: { userId }, dimension, only }: Pick<Question, 'filter' | 'dimension'> & { only?: Only },
): SQL {
  // A user's own figures are not told apart by users once more: his are among everybody's.
  const isOwn = userId !== undefined && dimension !== 'user';
  const folded = (length: number): SQL => sql`
    user_id = ${isOwn ? userId : EVERYBODY}::bigint and dimension = ${FOLDED_DIMENSIONS[dimension]}::smallint
    and hours = ${length}::smallint`;
  const values = userId !== undefined && !isOwn ? [String(userId)] : only?.values;
  const ofThese = (condition: SQL): SQL =>
    values ? sql`${condition} value = any(${textList(values)}::text[])` : sql``;
  const wholly = (pieces: readonly number[], length: number): SQL => sql`
    select ${step(sql`part`)}, value, ${summed} from usage_folded
    where part = any(${numberList(pieces)}::bigint[]) and ${folded(length)} ${ofThese(sql`and`)}`;
  // Values are told apart behind the index, which would else be read once more for each of them.
  const among = (of: readonly Hours[], table: SQL, owners: SQL = sql``): SQL => sql`
    select ${step(sql`hour`)}, value, ${summed}
    from unnest(${numberList(of.map(([from]) => from))}::bigint[], ${numberList(of.map(([, to]) => to))}::bigint[])
        as t(first, last)
      ${owners} cross join lateral (${table} ${EACH}) h ${ofThese(sql`where`)}`;
  const value = columnOf(dimension);
  const within = sql`hour >= t.first and hour < t.last`;
  const ofValues = only ? sql`and ${isAmong(dimension, only.values)}` : sql``;
  const ofAll = hourlyFigures(
    sql`hour, ${value} as value`,
    sql`${within} and ${condition({ userId })} ${ofValues}`,
  );
  const isByHour = userId === undefined && FOLDED_BY_HOUR.includes(dimension);
  const owners = userId === undefined ? only?.owners : [userId];
  const ofOwners = () =>
    among(
      foldedHours,
      hoursOfOwner(dimension, { within, only }),
      sql`cross join unnest(${numberList(owners ?? [])}::bigint[]) as o(id)`,
    );
  const ofEverybody = sql`
    select part as hour, value, ${summed} from usage_folded
    where part >= t.first and part < t.last and ${folded(FOLDED_HOURS.hour)}`;
  return sql.join(
    [
      wholly(spans, FOLDED_HOURS.span),
      wholly(parts, FOLDED_HOURS.part),
      ...(isByHour ? [among(foldedHours, ofEverybody)] : owners ? [ofOwners()] : [among(foldedHours, ofAll)]),
      among(hours, ofAll),
    ],
    sql` union all `,
  );
}

/** Hours of a part that is folded, of one user `o`: as they were folded where he had many figures, else his figures. */
function hoursOfOwner(dimension: Dimension, { within, only }: { within: SQL; only: Only | undefined }): SQL {
  // By users he is his own only value, of which the dimension with fewest knows.
  const isHimself = dimension === 'user';
  const kept = FOLDED_DIMENSIONS[isHimself ? FEWEST : dimension];
  const ofValues = only && !isHimself ? sql`and ${isAmong(dimension, only.values)}` : sql``;
  const foldedHours = sql`user_id = o.id and hours = ${FOLDED_HOURS.hour}::smallint`;
  const part = sql`t.first / ${DAY_PART_SEC}::bigint * ${DAY_PART_SEC}::bigint`;
  return sql`
    select part as hour, ${isHimself ? sql`o.id::text` : sql`value`} as value, ${summed} from usage_folded
    where ${foldedHours} and dimension = ${kept}::smallint and part >= t.first and part < t.last
    union all
    select * from (
      ${hourlyFigures(sql`hour, ${columnOf(dimension)} as value`, sql`${within} and user_id = o.id ${ofValues}`)}
    ) figures
    where not exists (
      select 1 from usage_folded
      where ${foldedHours} and dimension = ${FOLDED_DIMENSIONS[FEWEST]}::smallint
        and part >= ${part} and part < ${part} + ${DAY_PART_SEC}::bigint
    )`;
}

/** The dimension with fewest values. */
const FEWEST = 'group';

/** What has to be looked up beside whole hours, by step and value: charged calls of parts of hours, and calls that came to nothing in these. */
const besides = (
  { pieces, firstHour, lastHour }: ReturnType<typeof cutAtHours>,
  { time, filter, dimension }: Pick<Question, 'time' | 'filter' | 'dimension'>,
  only?: Only,
): SQL => {
  const list = (of: readonly number[]) => sql`${numberList(of)}::bigint[]`;
  const effects = pieces.flatMap((piece, n) => [
    { n, step: piece.step, sign: 1 },
    ...(piece.takenFrom === undefined ? [] : [{ n, step: piece.takenFrom, sign: -1 }]),
  ]);
  // What is not drawn goes together, of thousands of values.
  const value = only
    ? sql`case when ${isAmong(dimension, only.values)} then ${columnOf(dimension)} end`
    : columnOf(dimension);
  const ofCharged = dimension === 'code' ? sql`null::text` : value;
  // Within one hour there is no whole one.
  const end = time.to + 1;
  const failed: Hours[] = [
    [time.from - (time.from % HOUR_SEC), lastHour === 0 ? end : firstHour],
    [lastHour === 0 ? end : lastHour, end],
  ];
  const signed = sql.raw(CHARGED.map((name) => `${name} * sign`).join(', '));
  return sql`
    piece as materialized (
      select p.n, l.value, count(*) as calls, sum(l.quota)::bigint as quota,
        sum(l.prompt_tokens)::bigint as prompt_tokens, sum(l.completion_tokens)::bigint as completion_tokens,
        sum(l.cached)::bigint as cached_tokens, sum(greatest(l.first, 0))::bigint as first_ms,
        count(*) filter (where l.first >= 0) as first_calls
      from unnest(${list(pieces.map(({ from }) => from))}, ${list(pieces.map(({ to }) => to))}, ${list([...pieces.keys()])})
          as p(first, last, n)
        cross join lateral (
          select ${ofCharged} as value, quota, prompt_tokens, completion_tokens, ${told('cache_tokens', 0)} as cached,
            ${told('frt', -1)} as first
          from logs
          where created_at >= p.first and created_at <= p.last and type = ${LOG_TYPE.consumption}::smallint
            and ${condition(filter)} ${EACH}
        ) l
      group by 1, 2
    ), beside as materialized (
      select e.step, value, ${signed}, 0::bigint as failed
      from unnest(${list(effects.map(({ n }) => n))}, ${list(effects.map(({ step: at }) => at))}, ${list(effects.map(({ sign }) => sign))})
          as e(n, step, sign)
        join piece using (n)
      union all
      select ${step(sql`hour`)}, value, 0, 0, 0, 0, 0, 0, 0, calls
      from unnest(${list(failed.map(([from]) => from))}, ${list(failed.map(([, to]) => to))}) as t(first, last)
        cross join lateral (
          select hour, ${value} as value, calls from failures_hourly
          where hour >= t.first and hour < t.last and ${condition(filter)} ${EACH}
        ) f
    )`;
};

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

/** The values that are drawn, and whose hours have them, where that is known. */
interface Only {
  values: string[];
  owners?: number[] | undefined;
}

/**
 * By step and by value of a dimension, of the `most` values with most of the metric; the rest together. A dimension may have
 * thousands of values: which of them are first is told by sums of the whole time, and only theirs are read by step.
 */
export async function sumsByStep(tx: Tx, question: Question): Promise<{ rows: StepSums[]; values: number }> {
  const { time, filter, starts, dimension } = question;
  const { first, values } = await firstValues(tx, question);
  // Charged calls have no code, and are summed all the same.
  if (values === 0 && dimension !== 'code') return { rows: [], values };
  const cut = cutAtHours(starts, time);
  const hours = await cutAtParts(tx, starts, cut, filter.userId === undefined);
  const only = { values: first, owners: await ownersOf(tx, question, first) };
  const rows = rowsOf<StepSums>(
    await tx.execute(sql`
      with ${startsOf(starts)}, ${besides(cut, question, only)}, own as (
        ${wholeHours(hours, { filter, dimension, only })}
        union all
        select * from beside where value is not null
      ), everything as (
        ${wholeHours(hours, { filter, dimension: FEWEST })}
        union all
        select * from beside
      )
      select step - 1 as step, value, ${SUMS} from own group by 1, 2
      union all
      select step - 1, null, ${SUMS} from everything group by 1`),
  );
  return { rows: withRest(rows).sort(byStepAndValue), values };
}

/** The first values of the dimension, most first, and how many there are. */
async function firstValues(
  tx: Tx,
  question: Omit<Question, 'starts'>,
): Promise<{ first: string[]; values: number; of: number[] }> {
  const { time, filter, dimension, metric, most } = question;
  const starts = [time.from];
  const cut = cutAtHours(starts, time);
  const hours = await cutAtParts(tx, starts, cut, filter.userId === undefined);
  const counted = sql.raw(dimension === 'code' ? 'sum(failed)' : 'sum(calls) + sum(failed)');
  const rows = rowsOf<{ value: string; values: number; measure: number }>(
    await tx.execute(sql`
      with ${startsOf(starts)}, ${besides(cut, question)},
      summed as (
        select value, ${SUMS} from (
          ${wholeHours(hours, { filter, dimension })} union all select * from beside
        ) every group by value having ${counted} > 0
      )
      select value, count(*) over () as values, ${METRIC[metric]} as measure from summed
      order by measure desc, value limit ${most}`),
  );
  return {
    first: rows.map(({ value }) => value),
    values: rows[0]?.values ?? 0,
    of: rows.map(({ measure }) => measure),
  };
}

/** The values with most calls, most first. */
export async function firstCalled(tx: Tx, question: Omit<Question, 'starts' | 'metric'>): Promise<string[]> {
  const { first, of } = await firstValues(tx, { ...question, metric: 'calls' });
  return first.filter((_, n) => (of[n] ?? 0) > 0);
}

/** Whose the values are; undefined where they are many people's, or nobody's who is known. */
async function ownersOf(tx: Tx, { dimension }: Question, values: string[]): Promise<number[] | undefined> {
  if (dimension === 'user') return values.map(Number);
  if (dimension !== 'token') return undefined;
  const owners = rowsOf<{ user_id: number }>(
    await tx.execute(
      sql`select user_id from tokens where id = any(${numberList(values.map(Number))}::bigint[])`,
    ),
  );
  return owners.length === values.length ? [...new Set(owners.map(({ user_id }) => user_id))] : undefined;
}

/** Here and not in the query, where every row would be sorted before it is summed up. The rest comes last. */
const byStepAndValue = (a: StepSums, b: StepSums): number =>
  a.step - b.step ||
  Number(a.value === null) - Number(b.value === null) ||
  ((a.value ?? '') < (b.value ?? '') ? -1 : 1);

/** Of each step the sums of everything without those of the values: what is left. */
function withRest(rows: readonly StepSums[]): StepSums[] {
  const named = rows.filter(({ value }) => value !== null);
  const rest = new Map(rows.filter(({ value }) => value === null).map((row) => [row.step, { ...row }]));
  for (const row of named) {
    const left = rest.get(row.step);
    if (left) for (const name of SUMMED) left[name] -= row[name];
  }
  return [...named, ...rest.values()].filter((row) => SUMMED.some((name) => row[name] !== 0));
}

/** Everything of a time together. */
export async function sumAll(tx: Tx, time: Time, filter: UsageFilter): Promise<Summed> {
  const starts = [time.from];
  const cut = cutAtHours(starts, time);
  const hours = await cutAtParts(tx, starts, cut, filter.userId === undefined);
  const asked = { filter, dimension: FEWEST } as const;
  const [row] = rowsOf<Summed>(
    await tx.execute(sql`
      with ${startsOf(starts)}, ${besides(cut, { ...asked, time })}
      select ${SUMS} from (${wholeHours(hours, asked)} union all select * from beside) every`),
  );
  return row ?? NOTHING;
}

/**
 * Sums cannot tell it: it is told by rows of the log, of each step its newest, as many in proportion as it has calls, so that
 * a time of few calls counts for little. `calls` are those of each step.
 */
export async function firstSpread(
  tx: Tx,
  { starts, time, filter }: Pick<Question, 'starts' | 'time' | 'filter'>,
  calls: readonly number[],
): Promise<FirstSpread | null> {
  const all = calls.reduce((sum, n) => sum + n, 0);
  const share = Math.min(limits.usageSample / all, 1);
  const steps = starts.flatMap((start, n) => {
    const most = Math.ceil((calls[n] ?? 0) * share);
    return most > 0 ? [{ from: start, to: (starts[n + 1] ?? time.to + 1) - 1, most }] : [];
  });
  const list = (of: readonly number[]) => sql`${numberList(of)}::bigint[]`;
  const [row] = rowsOf<{ p50: number | null; p95: number | null; calls: number }>(
    await tx.execute(sql`
      select percentile_disc(0.5) within group (order by first) as p50,
        percentile_disc(0.95) within group (order by first) as p95, count(*) as calls
      from (
        select ${told('frt', -1)} as first
        from unnest(${list(steps.map(({ from }) => from))}, ${list(steps.map(({ to }) => to))}, ${list(steps.map(({ most }) => most))})
            as step(first, last, most)
          cross join lateral (
            select other from logs
            where created_at >= step.first and created_at <= step.last and type = ${LOG_TYPE.consumption}::smallint
              and ${condition(filter)}
            order by created_at desc limit step.most
          ) row
      ) looked where first >= 0`),
  );
  if (row?.p50 == null || row.p95 === null) return null;
  return { p50: row.p50, p95: row.p95, calls: row.calls };
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

/** The log before this second is no longer kept, nor are failures; 0 while all are. */
export async function logKeptFrom(tx: Tx): Promise<number> {
  const [row] = rowsOf<{ since: number | null }>(
    await tx.execute(sql`select max(value::bigint) as since from meta where name = 'logs_from'`),
  );
  return row?.since ?? 0;
}
