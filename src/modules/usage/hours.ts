/** A time cut into whole hours, which are known of themselves, and parts of hours, whose calls have to be looked up. */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { DAY_PART_SEC, HOUR_SEC } from '../../core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS } from '../../core/usage-folds.ts';
import type { Tx } from '../../db/client.ts';
import { inOrderOfIndex, isEmbedded, looksAt } from '../../db/looks.ts';
import { numberList, rowsOf } from '../../db/statement.ts';
import type { Dimension } from './facts.ts';
import { type Cut, cutAtParts, type Hours } from './parts.ts';

/** Unix seconds, both inclusive. */
export interface Time {
  from: number;
  to: number;
}

export interface UsageFilter {
  /** Whose; everybody's when absent. */
  userId?: number | undefined;
}

export const condition = ({ userId }: UsageFilter): SQL =>
  userId === undefined ? sql`true` : sql`user_id = ${userId}::bigint`;

/** A part of an hour, whose calls are added to a step and, where the hour was counted whole, taken from another. */
interface Piece extends Time {
  step: number;
  takenFrom?: number;
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
      pieces.push({ from: start, to: (starts[n + 1] ?? end) - 1, step: n + 1 });
    }
    return { firstHour: 0, lastHour: 0, pieces };
  }
  const stepAt = (at: number): number => starts.findLastIndex((start) => start <= at) + 1;
  /** A part of an hour, cut once more where steps begin in it. */
  const add = (part: Time) => {
    const inner = starts.filter((start) => start > part.from && start <= part.to);
    for (const [n, at] of [part.from, ...inner].entries()) {
      pieces.push({ from: at, to: (inner[n] ?? part.to + 1) - 1, step: stepAt(at) });
    }
  };
  if (from < firstHour) add({ from, to: firstHour - 1 });
  if (lastHour < end) add({ from: lastHour, to });
  // A step that begins within a whole hour: the hour went to the step before.
  for (const start of starts) {
    if (start <= firstHour || start >= lastHour || start % HOUR_SEC === 0) continue;
    const part = { from: start, to: (Math.floor(start / HOUR_SEC) + 1) * HOUR_SEC - 1 };
    pieces.push({ ...part, step: stepAt(start), takenFrom: stepAt(part.to + 1 - HOUR_SEC) });
  }
  return { firstHour, lastHour, pieces };
}

/** A time, and where its steps begin. */
export interface Steps {
  time: Time;
  starts: number[];
}

export interface Looks {
  dimension: Dimension;
  /** Other times whose sums are wanted. */
  also?: readonly Time[];
}

/**
 * The time as it is asked for, or the whole hours around it where so many calls would have to be looked up in parts of hours,
 * its own and those of the times `also` looked at, that nothing else could be done meanwhile. A step that begins within an
 * hour then begins behind it. What is older than all of this can be looked at is left out: `since` is 0, or the second from
 * which on all is known, and `isCut` tells whether the time itself began before it.
 */
export async function asLookedUp(
  tx: Tx,
  filter: UsageFilter,
  { time, starts }: Steps,
  { dimension, also = [] }: Looks,
): Promise<Steps & { since: number; isCut: boolean }> {
  const steps = (await areFew(tx, filter, { time, starts }, also))
    ? { time, starts }
    : around({ time, starts });
  const from = Math.min(steps.time.from, ...also.map((each) => each.from));
  const since = await knownSince(
    tx,
    { firstHour: hourOf(from), lastHour: hourOf(steps.time.to) + HOUR_SEC },
    ofChart(filter, dimension),
  );
  const isCut = since > steps.time.from;
  return { ...(isCut ? cutAt(steps, since) : steps), since, isCut };
}

function around({ time, starts }: Steps): Steps {
  const from = hourOf(time.from);
  const to = hourOf(time.to) + HOUR_SEC - 1;
  const behind = starts.map((start) => hourOf(start + HOUR_SEC - 1));
  return { time: { from, to }, starts: [from, ...behind.slice(1).filter((start) => start < to)] };
}

function cutAt({ time: { to }, starts }: Steps, since: number): Steps {
  const from = Math.min(since, to);
  return { time: { from, to }, starts: [from, ...starts.filter((start) => start > from)] };
}

/** Whether the calls in parts of hours are few. A figure is of one at least, so that no more of them tell it. */
async function areFew(
  tx: Tx,
  filter: UsageFilter,
  { time, starts }: Steps,
  also: readonly Time[],
): Promise<boolean> {
  const cuts = [cutAtHours(starts, time), ...also.map((each) => cutAtHours([each.from], each))];
  const hours = new Set(cuts.flatMap(({ pieces }) => pieces.map(({ from }) => hourOf(from))));
  const most = looksAt(tx, limits.countCap);
  const [row] = rowsOf<{ calls: number }>(
    await tx.execute(sql`
      select coalesce(sum(calls), 0)::bigint as calls from (
        select calls from usage_hourly
        where hour = any(${numberList([...hours])}::bigint[]) and ${condition(filter)} limit ${most + 1}
      ) figures`),
  );
  return (row?.calls ?? 0) <= most;
}

/** Figures of whole hours that are to be read. */
export interface Figures {
  table: 'usage_hourly' | 'failures_hourly';
  /** Whose, by a column `user_id`. */
  whose: SQL;
  isOfOne: boolean;
  /** Whether hours of folded parts that lie in the time by a piece are read from the table. */
  hasPieces: boolean;
  /** The rows of folded parts that are read, where these are many. */
  folded?: SQL | undefined;
}

const ofChart = ({ userId }: UsageFilter, dimension: Dimension): Figures => ({
  table: 'usage_hourly',
  whose: condition({ userId }),
  isOfOne: userId !== undefined,
  hasPieces: userId !== undefined,
  folded:
    userId === undefined
      ? undefined
      : sql`user_id = ${userId}::bigint and dimension = ${FOLDED_DIMENSIONS[dimension]}::smallint`,
});

/**
 * From which second on an embedded database, whose reads hold the process, may look at the figures of whole hours, newest first; 0
 * where it may look at all. Those that are not folded are looked at several times for a chart, and one user may make any
 * number of them; of everybody there are more, and who asks is an administrator. Of a user's folded parts, too, there are as
 * many as he has tokens. `cut`: the hours at parts, of who has cut them.
 */
export async function knownSince(
  tx: Tx,
  whole: { firstHour: number; lastHour: number },
  { table, whose, isOfOne, hasPieces, folded }: Figures,
  cut?: Cut,
): Promise<number> {
  if (!isEmbedded(tx)) return 0;
  const { hours, foldedHours } = cut ?? (await cutAtParts(tx, [], whole, !isOfOne));
  const unfolded = hasPieces ? [...hours, ...foldedHours] : hours;
  const bounds = (pick: (of: Hours) => number) => sql`${numberList(unfolded.map(pick))}::bigint[]`;
  const most = mostFigures(tx, isOfOne);
  const figures = await inOrderOfIndex(tx, () =>
    tx.execute(sql`
      select hour from unnest(${bounds(([first]) => first)}, ${bounds(([, last]) => last)}) as t(first, last)
        cross join lateral (
          select hour from ${sql.raw(table)} where hour >= t.first and hour < t.last and ${whose}
          order by hour desc ${isOfOne ? sql`nulls last` : sql``} limit ${most + 1}
        ) h
      order by 1 desc limit 1 offset ${most}`),
  );
  const [figure] = rowsOf<{ hour: number }>(figures);
  const since = figure ? figure.hour + HOUR_SEC : 0;
  if (!folded) return since;
  const parts = await inOrderOfIndex(tx, () =>
    tx.execute(sql`
      select part from usage_folded
      where ${folded} and hours = ${FOLDED_HOURS.part}::smallint
        and part >= ${whole.firstHour}::bigint and part < ${whole.lastHour}::bigint
      order by part desc limit 1 offset ${limits.usageLooked}`),
  );
  const [part] = rowsOf<{ part: number }>(parts);
  return Math.max(since, part ? part.part + DAY_PART_SEC : 0);
}

/** How many figures of one user are looked at, or of everybody. */
export const mostFigures = (tx: Tx, isOfOne: boolean): number =>
  isOfOne ? looksAt(tx, limits.usageLooked) : limits.usageLooked;

const hourOf = (at: number): number => at - (at % HOUR_SEC);
