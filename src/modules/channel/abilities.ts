/** The group-model-channel index. It follows its channel in the same transaction, by difference: rows that stay right are not touched. */
import { sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { numberList, rowsOf } from '../../db/statement.ts';

/** Brings the rows of these channels in line with them; answers how many rows were written or removed. */
export async function rebuildAbilities(tx: Tx, channelIds: readonly number[]): Promise<number> {
  const ids = numberList(channelIds);
  const [row] = rowsOf<{ changed: number }>(
    await tx.execute(sql`
      with wanted as (
        select distinct g as group_name, m as model_name, c.id as channel_id, c.status = 1 as enabled, c.priority, c.weight, c.tag
        from channels c cross join lateral unnest(c.groups) g cross join lateral unnest(c.models) m
        where c.id = any(${ids}::bigint[])
      ), gone as (
        delete from abilities a
        where a.channel_id = any(${ids}::bigint[]) and not exists (
          select 1 from wanted w
          where w.group_name = a.group_name and w.model_name = a.model_name and w.channel_id = a.channel_id
        )
        returning 1
      ), put as (
        insert into abilities as a (group_name, model_name, channel_id, enabled, priority, weight, tag)
        select group_name, model_name, channel_id, enabled, priority, weight, tag from wanted
        on conflict (group_name, model_name, channel_id) do update
          set enabled = excluded.enabled, priority = excluded.priority, weight = excluded.weight, tag = excluded.tag
          where (a.enabled, a.priority, a.weight, a.tag)
            is distinct from (excluded.enabled, excluded.priority, excluded.weight, excluded.tag)
        returning 1
      )
      select (select count(*) from gone)::int + (select count(*) from put)::int as changed`),
  );
  return row?.changed ?? 0;
}
