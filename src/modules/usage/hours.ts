/** A time cut into whole hours, which are known of themselves, and parts of hours, whose calls have to be looked up. */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { HOUR_SEC } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { looksAt } from '../../db/looks.ts';
import { numberList, rowsOf } from '../../db/statement.ts';

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

/**
 * The time as it is asked for, or the whole hours around it where so many calls would have to be looked up in parts of hours,
 * its own and those of the times `also` looked at, that nothing else could be done meanwhile. A step that begins within an
 * hour then begins behind it.
 */
export async function asLookedUp(
  tx: Tx,
  filter: UsageFilter,
  { time, starts }: Steps,
  also: readonly Time[] = [],
): Promise<Steps> {
  const cuts = [cutAtHours(starts, time), ...also.map((each) => cutAtHours([each.from], each))];
  const hours = new Set(cuts.flatMap(({ pieces }) => pieces.map(({ from }) => hourOf(from))));
  const [row] = rowsOf<{ calls: number }>(
    await tx.execute(sql`
      select coalesce(sum(calls), 0)::bigint as calls from usage_hourly
      where hour = any(${numberList([...hours])}::bigint[]) and ${condition(filter)}`),
  );
  if ((row?.calls ?? 0) <= looksAt(tx, limits.countCap)) return { time, starts };
  const around = { from: hourOf(time.from), to: hourOf(time.to) + HOUR_SEC - 1 };
  const behind = starts.map((start) => hourOf(start + HOUR_SEC - 1));
  return { time: around, starts: [around.from, ...behind.slice(1).filter((start) => start < around.to)] };
}

const hourOf = (at: number): number => at - (at % HOUR_SEC);
