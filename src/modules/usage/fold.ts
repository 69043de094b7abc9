/**
 * Folds the hourly figures into parts of days, by one dimension at a time: a chart of months reads some thousand rows instead
 * of millions. A part is written in one transaction when it is over, and again when a settlement comes late, which the
 * settlement itself notes; so what is folded, and not late, is always the sum of its hours.
 */
import { sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { DAY_PART_SEC, nowSec } from '../../core/time.ts';
import { takeTime } from '../../db/brief.ts';
import type { Database, Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';
import { DIMENSIONS, type Dimension } from './facts.ts';

/** In the place of a user: everybody. */
export const EVERYBODY = -1;

/** The numbers under which dimensions are kept, which never change. */
export const FOLDED_DIMENSIONS: Record<Dimension, number> = {
  model: 1,
  token: 2,
  group: 3,
  channel: 4,
  user: 5,
};

/** Columns that the hourly figures and the log call alike. */
export const COLUMN_OF: Record<Dimension, string> = {
  model: 'model_name',
  token: 'token_id',
  group: 'group_name',
  channel: 'channel_id',
  user: 'user_id',
};

/** Folds every part that is over and not folded; ends early, between two parts, when the signal aborts. */
export async function foldUsage(db: Database, signal?: AbortSignal): Promise<number> {
  const last = nowSec() - limits.foldUsageAfterSec - DAY_PART_SEC;
  // From part to part that has something, by the index.
  const due = await db.query<{ part: number }>(
    `with recursive used(part) as (
       select min(hour) / ${DAY_PART_SEC} * ${DAY_PART_SEC} from usage_hourly
       union all
       select (
         select min(hour) / ${DAY_PART_SEC} * ${DAY_PART_SEC} from usage_hourly where hour >= used.part + ${DAY_PART_SEC}
       ) from used where used.part <= $1::bigint
     )
     select part from used
     where part <= $1::bigint
       and (part not in (select part from usage_parts) or part in (select part from usage_late))
     order by part`,
    [last],
  );
  let folded = 0;
  for (const { part } of due) {
    if (signal?.aborted) break;
    if (await db.orm.transaction((tx) => foldPart(tx, part))) folded++;
  }
  return folded;
}

/**
 * One part, once, whoever else is at it: whoever folds it holds its row. What says that it is late is removed before its
 * hours are read, by a statement of its own: a settlement has either said so by then, and its hours are read, or what it
 * says stays. So none has to wait. Sums of a part only grow: what is there is replaced.
 */
async function foldPart(tx: Tx, part: number): Promise<boolean> {
  await takeTime(tx);
  const added = rowsOf(
    await tx.execute(sql`
      insert into usage_parts (part) values (${part}::bigint) on conflict do nothing returning part`),
  );
  if (added.length === 0)
    await tx.execute(sql`select 1 from usage_parts where part = ${part}::bigint for update`);
  const late = rowsOf(await tx.execute(sql`delete from usage_late where part = ${part}::bigint returning 1`));
  if (added.length + late.length === 0) return false;
  await tx.execute(sql`
    insert into usage_folded as f (user_id, dimension, part, value, calls, prompt_tokens, completion_tokens, quota,
      cached_tokens, first_ms, first_calls)
    select owner, dimension, ${part}::bigint, value, calls, prompt_tokens, completion_tokens, quota, cached_tokens,
      first_ms, first_calls
    from (
      select v.owner, v.dimension, v.value, sum(calls)::bigint as calls, sum(prompt_tokens)::bigint as prompt_tokens,
        sum(completion_tokens)::bigint as completion_tokens, sum(quota)::bigint as quota,
        sum(cached_tokens)::bigint as cached_tokens, sum(first_ms)::bigint as first_ms,
        sum(first_calls)::bigint as first_calls
      from usage_hourly h
        cross join lateral (values ${sql.raw(VALUES)}) v(owner, dimension, value)
      where h.hour >= ${part}::bigint and h.hour < ${part + DAY_PART_SEC}::bigint
      group by 1, 2, 3 order by 1, 2, 3
    ) s
    on conflict (user_id, dimension, part, value) do update set
      calls = excluded.calls, prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens,
      quota = excluded.quota, cached_tokens = excluded.cached_tokens, first_ms = excluded.first_ms,
      first_calls = excluded.first_calls`);
  return true;
}

/** What a row of the hourly figures counts for: its user's and everybody's sums, by each dimension. */
const VALUES = DIMENSIONS.flatMap((dimension) => {
  const value = `${FOLDED_DIMENSIONS[dimension]}::smallint, h.${COLUMN_OF[dimension]}::text`;
  const everybody = `(${EVERYBODY}::bigint, ${value})`;
  return dimension === 'user' ? [everybody] : [`(h.user_id, ${value})`, everybody];
}).join(', ');
