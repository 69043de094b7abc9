/** Which hours of a time are read from parts of days, and which one by one. */
import { sql } from 'drizzle-orm';
import { DAY_PART_SEC } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';

/** Whole hours, [from, to). */
type Hours = readonly [from: number, to: number];

/** The folded parts of days that lie in whole hours and in one step, and the hours between them. Steps begin at `starts`, ascending. */
export async function cutAtParts(
  tx: Tx,
  starts: readonly number[],
  { firstHour, lastHour }: { firstHour: number; lastHour: number },
): Promise<{ parts: number[]; hours: Hours[] }> {
  const folded = rowsOf<{ part: number }>(
    await tx.execute(sql`
      select part from usage_parts
      where part not in (select part from usage_late) and part >= ${firstHour}::bigint
        and part <= ${lastHour - DAY_PART_SEC}::bigint
      order by part`),
  );
  const parts: number[] = [];
  const hours: Hours[] = [];
  let at = firstHour;
  let next = 0;
  for (const { part } of folded) {
    while ((starts[next] ?? Number.POSITIVE_INFINITY) <= part) next++;
    // The next step begins within it.
    if ((starts[next] ?? Number.POSITIVE_INFINITY) < part + DAY_PART_SEC) continue;
    if (at < part) hours.push([at, part]);
    parts.push(part);
    at = part + DAY_PART_SEC;
  }
  if (at < lastHour) hours.push([at, lastHour]);
  return { parts, hours };
}

/**
 * Ends a query beside a list of times: it is asked for each, by an index. Else the planner may take a user who has made much
 * of all calls for a reason to read every hour there is and compare it with the list.
 */
export const EACH = sql`offset 0`;
