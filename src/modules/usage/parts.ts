/** Which hours of a time are read from spans of days, from parts of them, and which one by one. */
import { sql } from 'drizzle-orm';
import { DAY_PART_SEC, SPAN_SEC } from '../../core/time.ts';
import { FOLDED_PARTS } from '../../core/usage-folds.ts';
import type { Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';

/** Whole hours, [from, to). */
export type Hours = readonly [from: number, to: number];

export interface Cut {
  spans: number[];
  parts: number[];
  /** Hours of parts that were folded, of which a step begins within. */
  foldedHours: Hours[];
  /** All others. */
  hours: Hours[];
}

/**
 * The spans and parts of days, as far as they are folded, that lie in whole hours and in one step, and the hours between them. Steps begin at
 * `starts`, ascending. Spans are everybody's alone.
 */
export async function cutAtParts(
  tx: Tx,
  starts: readonly number[],
  { firstHour, lastHour }: { firstHour: number; lastHour: number },
  isEverybodys: boolean,
): Promise<Cut> {
  const folded = rowsOf<{ from: number; length: number }>(
    await tx.execute(sql`
      select span as "from", ${SPAN_SEC}::bigint as length from usage_spans s
      where is_whole and ${isEverybodys} and span >= ${firstHour}::bigint and span <= ${lastHour - SPAN_SEC}::bigint
        and not exists (select 1 from usage_late l where l.part >= s.span and l.part < s.span + ${SPAN_SEC}::bigint)
      union all
      select part, ${DAY_PART_SEC}::bigint from (${sql.raw(FOLDED_PARTS)}) parts
      where part > ${firstHour - DAY_PART_SEC}::bigint
        and part < ${lastHour}::bigint
      order by 1, 2 desc`),
  );
  const cut: Cut = { spans: [], parts: [], foldedHours: [], hours: [] };
  let at = firstHour;
  let next = 0;
  for (const { from, length } of folded) {
    const to = from + length;
    // A span holds it.
    if (to <= at) continue;
    while ((starts[next] ?? Number.POSITIVE_INFINITY) <= from) next++;
    const isOfOneStep = (starts[next] ?? Number.POSITIVE_INFINITY) >= to;
    if (length === SPAN_SEC && !isOfOneStep) continue;
    if (at < from) cut.hours.push([at, from]);
    const isWhole = from >= firstHour && to <= lastHour;
    if (length === SPAN_SEC) cut.spans.push(from);
    else if (isWhole && isOfOneStep) cut.parts.push(from);
    else cut.foldedHours.push([Math.max(from, firstHour), Math.min(to, lastHour)]);
    at = to;
  }
  if (at < lastHour) cut.hours.push([at, lastHour]);
  return cut;
}

/**
 * Ends a query beside a list of times: it is asked for each, by an index. Else the planner may take a user who has made much
 * of all calls for a reason to read every hour there is and compare it with the list.
 */
export const EACH = sql`offset 0`;
