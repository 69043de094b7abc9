/**
 * Counts and sums over the log. Whole hours come from the hourly figures, which are written with each charge in one
 * statement, and whole parts of days from what was folded of these, so that they are exact; only the pieces of hours at
 * both ends are counted row by row.
 */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { HOUR_SEC } from '../../core/time.ts';
import { FOLDED_HOURS } from '../../core/usage-folds.ts';
import type { Tx } from '../../db/client.ts';
import { inOrderOfIndex, looksAt } from '../../db/looks.ts';
import { numberList, rowsOf } from '../../db/statement.ts';
import {
  type Cut,
  cutAtParts,
  EACH,
  type Figures,
  knownSince,
  logKeptFrom,
  mostFigures,
} from '../usage/service.ts';
import {
  failuresCondition,
  foldedFigures,
  foldedLumps,
  indexedLogCondition,
  isOfHours,
  isOfOne,
  isOfUsage,
  isScattered,
  type LogFilter,
  logCondition,
  usageCondition,
} from './filter.ts';
import { LUMPED } from './service.ts';

export interface Sums {
  calls: number;
  /** Quota units. */
  quota: number;
  /** Prompt and completion tokens. */
  tokens: number;
}

/** How far was looked, where there are older rows than were looked at. */
export interface Looked {
  /** The newest, so many: of the log, or of the hourly figures where these tell it. */
  rows: number;
  /** Unix second: all that is newer was looked at. */
  back_to: number;
}

export interface Total {
  total: number;
  /** Null when all rows were looked at. */
  looked: Looked | null;
}

/** How many of the newest rows are looked at. */
export const mostLooked = (tx: Tx, filter: LogFilter): number =>
  looksAt(tx, isScattered(filter) ? limits.scatteredCap : limits.countCap);

/**
 * The newest rows that an index finds, up to a bound, with all of their columns. What else a filter asks for is looked for
 * among these alone: it is rows that are looked at which cost time, not those that fit, and a process with an embedded
 * database does nothing else meanwhile. A narrower time reaches older ones.
 */
export const newestLogs = (filter: LogFilter, most: number): SQL => sql`
  select * from logs where ${indexedLogCondition(filter)} order by created_at desc, id desc limit ${most}`;

/**
 * Reads `newestLogs` in the order of their index: else the planner may take a user to have few rows, and sort all that he has.
 * A request has few.
 */
export async function readNewest<Row extends object>(
  tx: Tx,
  { requestId, id }: LogFilter,
  statement: SQL,
): Promise<Row[]> {
  const read = () => tx.execute(statement);
  return rowsOf<Row>(await (requestId || id !== undefined ? read() : inOrderOfIndex(tx, read)));
}

/** How many rows the filter has: exact where the hourly figures know it and are few, else those of the newest. */
export async function countLogs(
  tx: Tx,
  filter: LogFilter,
  most: number = mostLooked(tx, filter),
): Promise<Total> {
  if (isOfUsage(filter)) {
    const { calls, looked } = await sumUsage(tx, filter, { rows: most });
    const unlogged = looked ? null : await countUnlogged(tx, filter);
    if (unlogged !== null) return { total: calls - unlogged, looked: null };
  }
  return countNewest(tx, filter, most);
}

/** How many of the newest rows the filter has. */
export async function countNewest(tx: Tx, filter: LogFilter, most: number): Promise<Total> {
  const [row] = await readNewest<{ seen: number; total: number }>(
    tx,
    filter,
    sql`
      select count(*)::bigint as seen, count(*) filter (where ${logCondition(filter)})::bigint as total
      from (${newestLogs(filter, most)}) as newest`,
  );
  const { seen, total } = row ?? { seen: 0, total: 0 };
  return { total, looked: seen === most ? await lookedAt(tx, filter, most) : null };
}

/** How far a look at so many rows reaches; null where an index finds no more of them. */
export async function lookedAt(
  tx: Tx,
  filter: LogFilter,
  most: number = mostLooked(tx, filter),
): Promise<Looked | null> {
  const [next] = await readNewest<{ created_at: number }>(
    tx,
    filter,
    sql`
      select created_at from logs where ${indexedLogCondition(filter)}
      order by created_at desc, id desc limit 1 offset ${most}`,
  );
  return next ? { rows: most, back_to: next.created_at } : null;
}

/** The last of the rows that are looked at, where there are older ones. */
export async function lastLooked(
  tx: Tx,
  filter: LogFilter,
  most: number,
): Promise<{ created_at: number; id: number } | undefined> {
  const [last] = await readNewest<{ created_at: number; id: number }>(
    tx,
    filter,
    sql`
      select created_at, id from logs where ${indexedLogCondition(filter)}
      order by created_at desc, id desc limit 1 offset ${most - 1}`,
  );
  return last;
}

/** Calls of the whole hours that were charged without a row. */
async function countUnlogged(tx: Tx, filter: LogFilter): Promise<number | null> {
  const { firstHour, lastHour } = spans(filter, await oldestUse(tx));
  return sumUnlogged(tx, filter, { start: firstHour, end: lastHour });
}

/** Null where he who is asked for has more figures than are looked at; of everybody, where all have. */
async function sumUnlogged(tx: Tx, filter: LogFilter, hours: Span): Promise<number | null> {
  const most = looksAt(tx, limits.usageLooked);
  const [row] = rowsOf<{ calls: number; seen: number }>(
    await inOrderOfIndex(tx, () =>
      tx.execute(sql`
        select coalesce(sum(calls) filter (where fits), 0)::bigint as calls, count(*) as seen from (
          select calls, ${usageCondition(filter)} as fits from usage_unlogged
          where ${within(hours)} and ${usageCondition(whoseOf(filter))}
          order by hour desc ${isOfOne(filter) ? sql`nulls last` : sql``} limit ${most + 1}
        ) figures`),
    ),
  );
  const { calls, seen } = row ?? { calls: 0, seen: 0 };
  return seen > most ? null : calls;
}

/** Sums over all rows of the filter: exact where the hourly figures know them, else over those of the newest. */
export async function sumLogs(
  tx: Tx,
  filter: LogFilter,
  most: number = mostLooked(tx, filter),
): Promise<Sums & Pick<Total, 'looked'>> {
  if (isOfUsage(filter)) return sumUsage(tx, filter, { rows: most });
  return sumNewest(tx, filter, most);
}

async function sumNewest(tx: Tx, filter: LogFilter, most: number): Promise<Sums & Pick<Total, 'looked'>> {
  const [row] = await readNewest<Sums & { seen: number }>(
    tx,
    filter,
    sql`
      select count(*)::bigint as seen, count(*) filter (where fits)::bigint as calls,
        coalesce(sum(quota) filter (where fits), 0)::bigint as quota,
        coalesce(sum(prompt_tokens + completion_tokens) filter (where fits), 0)::bigint as tokens
      from (select *, ${logCondition(filter)} as fits from (${newestLogs(filter, most)}) as rows) as newest`,
  );
  const { seen, ...sums } = row ?? { seen: 0, ...NOTHING };
  return { ...sums, looked: seen === most ? await lookedAt(tx, filter, most) : null };
}

const NOTHING: Sums = { calls: 0, quota: 0, tokens: 0 };

const FOREVER = Number.MAX_SAFE_INTEGER;

/** What is looked at: hourly figures of those that parts of days do not know, and rows of each piece of an hour. */
interface UsageLooks {
  hours?: number;
  rows?: number;
}

/**
 * Of charged calls, newest first: the piece of an hour at the end, whole hours, the piece at the beginning. What is older
 * than was looked at is left out.
 */
export async function sumUsage(
  tx: Tx,
  filter: LogFilter,
  { hours = looksAt(tx, limits.usageLooked), rows = mostLooked(tx, filter) }: UsageLooks = {},
): Promise<Sums & Pick<Total, 'looked'>> {
  const { start, firstHour, lastHour, end } = spans(filter, await oldestUse(tx));
  const parts = [
    { has: lastHour < end, sums: () => sumNewest(tx, { ...filter, from: lastHour, to: end - 1 }, rows) },
    {
      has: firstHour < lastHour,
      sums: () => sumHours(tx, filter, { start: firstHour, end: lastHour }, { most: hours }),
    },
    {
      has: start < firstHour,
      sums: () => sumNewest(tx, { ...filter, from: start, to: firstHour - 1 }, rows),
    },
  ];
  const all = { ...NOTHING };
  for (const { has, sums } of parts) {
    if (!has) continue;
    const { looked, ...part } = await sums();
    for (const name of ['calls', 'quota', 'tokens'] as const) all[name] += part[name];
    if (looked) return { ...all, looked };
  }
  return { ...all, looked: null };
}

/** Where figures of whole hours are, and what parts of days have of them. */
const FIGURES = {
  charged: {
    table: 'usage_hourly',
    columns: sql.raw('calls, quota, prompt_tokens + completion_tokens as tokens'),
    folded: sql.raw('calls, quota, prompt_tokens + completion_tokens as tokens'),
    condition: usageCondition,
  },
  failed: {
    table: 'failures_hourly',
    columns: sql.raw('calls, 0::bigint as quota, 0::bigint as tokens'),
    folded: sql.raw('failed as calls, 0::bigint as quota, 0::bigint as tokens'),
    condition: failuresCondition,
  },
} as const;

interface HourLooks {
  of?: keyof typeof FIGURES;
  most?: number;
}

/** Rows of parts of days that hold so many hours. */
const ofParts = (parts: readonly number[], hours: number): SQL => sql`
  part = any(${numberList(parts)}::bigint[]) and hours = ${hours}::smallint`;

/** Lists of where the hours that are read one by one begin and end. */
function hourBounds({ foldedHours, hours }: Cut): SQL {
  const all = [...foldedHours, ...hours];
  return sql`unnest(${numberList(all.map(([first]) => first))}::bigint[], ${numberList(all.map(([, last]) => last))}::bigint[])`;
}

/**
 * Of whole hours. Parts of days serve where they know all that the filter asks for; else so many of the newest hourly
 * figures of the user, or of everybody, are looked at. An embedded database looks at no more of those beside parts of days,
 * either.
 */
async function sumHours(
  tx: Tx,
  filter: LogFilter,
  time: Span,
  { of = 'charged', most = looksAt(tx, limits.usageLooked) }: HourLooks = {},
): Promise<Sums & Pick<Total, 'looked'>> {
  const { table, columns, folded: columnsOfParts, condition } = FIGURES[of];
  const folded = foldedFigures(of === 'failed' ? filter : { ...filter, code: undefined });
  const whose = usageCondition(whoseOf(filter));
  const isOne = isOfOne(filter);
  const { since, cut } = folded
    ? await knownCut(tx, time, { table, whose, isOfOne: isOne, hasPieces: true, folded: folded.mixed })
    : { since: time.start, cut: uncut(time) };
  const wholly = (parts: readonly number[], hours: number) => sql`
    select ${columnsOfParts}, true as fits, null::bigint as hour from usage_folded
    where ${ofParts(parts, hours)} and ${folded?.condition ?? sql`false`}`;
  const bound = folded ? EACH : sql`order by hour desc ${isOne ? sql`nulls last` : sql``} limit ${most + 1}`;
  const [row] = rowsOf<Sums & { whole_from: number | null }>(
    await tx.execute(sql`
      with parts as (
        ${wholly(cut.spans, FOLDED_HOURS.span)}
        union all
        ${wholly(cut.parts, FOLDED_HOURS.part)}
        union all
        select h.* from ${hourBounds(cut)} as t(first, last) cross join lateral (
          select ${columns}, ${condition(filter)} as fits, hour from ${sql.raw(table)}
          where hour >= t.first and hour < t.last and ${whose} ${bound}
        ) h
      ), seen as (
        -- Of an hour that was seen in part, nothing: who goes on from where this ended finds all of it.
        select case when count(hour) > ${folded ? FOREVER : most}::bigint then min(hour) + ${HOUR_SEC}::bigint end as whole_from
        from parts
      )
      select coalesce(sum(calls) filter (where fits), 0)::bigint as calls,
        coalesce(sum(quota) filter (where fits), 0)::bigint as quota,
        coalesce(sum(tokens) filter (where fits), 0)::bigint as tokens,
        -- Also where no row is left, as all that was seen is of one hour.
        (select whole_from from seen) as whole_from
      from parts cross join seen where whole_from is null or hour >= whole_from`),
  );
  const { whole_from: wholeSince, ...sums } = row ?? { whole_from: null, ...NOTHING };
  if (since > time.start) return { ...sums, looked: { rows: mostFigures(tx, isOne), back_to: since } };
  return { ...sums, looked: wholeSince === null ? null : { rows: most, back_to: wholeSince } };
}

const uncut = ({ start, end }: Span): Cut => ({
  spans: [],
  parts: [],
  foldedHours: [],
  hours: [[start, end]],
});

/** The hours of a time of which all is known, cut at parts of days, and since when it is. */
async function knownCut(
  tx: Tx,
  { start, end }: Span,
  figures: Figures,
): Promise<{ since: number; cut: Cut }> {
  const cutFrom = (firstHour: number) => cutAtParts(tx, [], { firstHour, lastHour: end }, !figures.isOfOne);
  const cut = await cutFrom(start);
  const known = await knownSince(tx, { firstHour: start, lastHour: end }, figures, cut);
  const since = Math.min(Math.max(start, known), end);
  return { since, cut: since > start ? await cutFrom(since) : cut };
}

/** Whether failed calls of whole hours were counted by their code alone, as those of a flood are. */
async function areLumped(tx: Tx, filter: LogFilter, time: Span): Promise<boolean> {
  const whole = { firstHour: time.start, lastHour: time.end };
  const lumps = foldedLumps(filter, LUMPED);
  const cut = lumps ? await cutAtParts(tx, [], whole, !isOfOne(filter)) : uncut(time);
  const inParts = (parts: readonly number[], length: number) => sql`
    exists (select from usage_folded where ${ofParts(parts, length)} and ${lumps ?? sql`false`})`;
  const [row] = rowsOf<{ lumped: boolean }>(
    await tx.execute(sql`
      select ${inParts(cut.spans, FOLDED_HOURS.span)} or ${inParts(cut.parts, FOLDED_HOURS.part)} or exists (
        select from ${hourBounds(cut)} as t(first, last) cross join lateral (
          select from failures_hourly where hour >= t.first and hour < t.last
            and token_id = ${LUMPED}::bigint and ${usageCondition(whoseOf(filter))} limit 1
        ) h
      ) as lumped`),
  );
  return row?.lumped ?? false;
}

/** What became of calls. */
export interface Outcomes {
  /** Those that came to nothing; null where the time begins or ends within an hour in which not all of them have rows. */
  failed: number | null;
  /** What a success rate is made of; null where nobody knows. `of_hours`: of the whole hours around the time. */
  success: { calls: number; failed: number; of_hours: boolean } | null;
}

export const UNKNOWN: Outcomes = { failed: null, success: null };

/**
 * How many calls came to nothing, beside those that were charged. The hourly figures know of all, but only of whole hours;
 * rows know of their second, but a flood has not all of them. So the pieces of hours at both ends are counted by rows where
 * these are as many as the figures say, and where they are not only the hours around them are known.
 */
export async function outcomesOf(
  tx: Tx,
  given: LogFilter,
  charged: number,
  most: number = mostLooked(tx, given),
): Promise<Outcomes> {
  const filter = { ...given, type: LOG_TYPE.refused };
  const exactly = (failed: number): Outcomes => ({
    failed,
    success: { calls: charged, failed, of_hours: false },
  });
  const { start, firstHour, lastHour, end } = spans(filter, await oldestUse(tx));
  if (!isOfHours(filter)) {
    const { total, looked } = await countNewest(tx, filter, most);
    const { requestId } = filter;
    // What became of this call is known where it has its row.
    if (requestId && (await countNewest(tx, { ...whoseOf(filter), requestId }, most)).total > 0)
      return exactly(total);
    return !looked && (await areListed(tx, filter, { start, end }, most)) ? exactly(total) : UNKNOWN;
  }
  const pieces = [
    { start, end: firstHour },
    { start: lastHour, end },
  ].filter((piece) => piece.start < piece.end);
  let listed = 0;
  for (const piece of pieces) {
    if (!(await areListed(tx, filter, piece, most))) return ofHours(tx, filter, { start, end });
    listed += await countPiece(tx, filter, piece);
  }
  const failed = await countHourly(tx, filter, { start: firstHour, end: lastHour });
  return failed === null ? UNKNOWN : exactly(failed + listed);
}

/** Unix seconds, [start, end). */
interface Span {
  start: number;
  end: number;
}

const hoursAround = ({ start, end }: Span): Span => ({
  start: start - (start % HOUR_SEC),
  end: end === FOREVER ? FOREVER : Math.ceil(end / HOUR_SEC) * HOUR_SEC,
});

async function ofHours(tx: Tx, filter: LogFilter, time: Span): Promise<Outcomes> {
  const hours = hoursAround(time);
  const failed = await countHourly(tx, filter, hours);
  if (failed === null) return UNKNOWN;
  const { calls, looked } = await sumHours(tx, filter, hours);
  return looked ? UNKNOWN : { failed: null, success: { calls, failed, of_hours: true } };
}

const within = ({ start, end }: Span): SQL => sql`hour >= ${start}::bigint and hour < ${end}::bigint`;

/** The user alone, of all that a filter asks for. */
const whoseOf = ({ ownerId, username }: LogFilter): LogFilter => ({
  ...(ownerId === undefined ? {} : { ownerId }),
  ...(username ? { username } : {}),
});

/** Whether each call of the user, in the hours around a time, has its row: charged or not. */
async function areListed(tx: Tx, filter: LogFilter, time: Span, most: number): Promise<boolean> {
  const hours = hoursAround(time);
  const whose = whoseOf(filter);
  const rows = await countNewest(
    tx,
    { ...whose, type: LOG_TYPE.refused, from: hours.start, to: hours.end - 1 },
    most,
  );
  if (rows.looked || (await countHourly(tx, whose, hours)) !== rows.total) return false;
  return (await sumUnlogged(tx, whose, hours)) === 0;
}

async function countPiece(tx: Tx, filter: LogFilter, { start, end }: Span): Promise<number> {
  const [row] = rowsOf<{ n: number }>(
    await tx.execute(sql`
      select count(*)::bigint as n from logs
      where created_at >= ${start}::bigint and created_at < ${end}::bigint and ${logCondition(filter)}`),
  );
  return row?.n ?? 0;
}

/**
 * Null where there are more figures than are looked at, or where some of a flood's calls were counted by their code alone and the
 * filter tells them apart by more.
 */
async function countHourly(tx: Tx, filter: LogFilter, hours: Span): Promise<number | null> {
  const { tokenIds, modelName, channelId } = filter;
  const { calls, looked } = await sumHours(tx, filter, hours, { of: 'failed' });
  const isNarrow = tokenIds !== undefined || channelId !== undefined || Boolean(modelName);
  return looked || (isNarrow && (await areLumped(tx, filter, hours))) ? null : calls;
}

/**
 * The oldest second that the log still holds, or would: what retention took away counts for nothing. An hour of which it took
 * nothing is whole.
 */
async function oldestUse(tx: Tx): Promise<number> {
  const [row] = rowsOf<{ oldest: number | null }>(
    await tx.execute(sql`
      select least((select min(created_at) from logs), (select min(hour) from usage_unlogged)) as oldest`),
  );
  const oldest = row?.oldest ?? 0;
  const hour = oldest - (oldest % HOUR_SEC);
  return (await logKeptFrom(tx)) <= hour ? hour : oldest;
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
