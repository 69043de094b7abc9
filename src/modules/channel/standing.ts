/** How the channels stand: which are off and why, how they answered over the last day. Bounded, however many there are. */
import { sql } from 'drizzle-orm';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { reasonText } from '../../core/reasons.ts';
import type { Locale } from '../../core/text.ts';
import { DAY_SEC, nowSec } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';
import { whyOff } from './expiry.ts';
import { CHANNEL_STATUS, QUARTER_SEC } from './facts.ts';

export interface ChannelOff {
  id: number;
  name: string;
  /** In the reader's words; null where none was kept. */
  reason: string | null;
  /** Unix seconds; 0 where it is not known. */
  since: number;
}

/** One that goes on with the rest of its keys. */
export interface KeysOff {
  id: number;
  name: string;
  /** So many of its keys were disabled by themselves, of so many. */
  off: number;
  count: number;
  /** When the last of them was, unix seconds. */
  since: number;
}

export interface ChannelDay {
  id: number;
  name: string;
  status: number;
  ok: number;
  slow: number;
  failed: number;
  /** By the quarter of an hour in which there was a call, from the first of the day on: which one, ok, slow, failed. */
  quarters: [number, number, number, number][];
}

export interface SlowChannel {
  id: number;
  name: string;
  /** Milliseconds until an answer came, on an average of the day. */
  ms: number;
  /** So many of them. */
  answers: number;
}

export interface ChannelStanding {
  /** By status. */
  enabled: number;
  disabled: number;
  auto_disabled: number;
  /** Of those that were disabled by themselves the latest; what somebody has switched off needs no look. */
  off: ChannelOff[];
  /** Enabled ones, those first that lost a key last. */
  keys_off: KeysOff[];
  /** Where the day begins, unix seconds. */
  from: number;
  /** Those that were asked most. */
  days: ChannelDay[];
  slowest: SlowChannel[];
}

export async function channelStanding(tx: Tx, locale: Locale): Promise<ChannelStanding> {
  const from = nowSec() - (nowSec() % QUARTER_SEC) + QUARTER_SEC - DAY_SEC;
  const counts = rowsOf<{ status: number; n: number }>(
    await tx.execute(sql`select status, count(*)::int as n from channels group by status`),
  );
  const having = (status: number) => counts.find((row) => row.status === status)?.n ?? 0;
  return {
    enabled: having(CHANNEL_STATUS.enabled),
    disabled: having(CHANNEL_STATUS.disabled),
    auto_disabled: having(CHANNEL_STATUS.autoDisabled),
    off: await channelsOff(tx, locale),
    keys_off: await keysOff(tx),
    from,
    days: await channelDays(tx, from),
    slowest: await slowest(tx, from),
  };
}

async function channelsOff(tx: Tx, locale: Locale): Promise<ChannelOff[]> {
  const rows = rowsOf<{ id: number; name: string; info: string }>(
    await tx.execute(sql`
      select id, name, other_info::text as info from channels where status = ${CHANNEL_STATUS.autoDisabled}::smallint
      order by coalesce((other_info ->> 'status_time')::bigint, 0) desc, id desc
      limit ${limits.overviewListed}`),
  );
  return rows.map(({ info: text, ...row }) => {
    const info: JsonObject = JSON.parse(text);
    const reason = whyOff(info);
    // What was kept before there were codes is told as it stands.
    const kept = typeof info.status_reason === 'string' ? info.status_reason : null;
    const since = typeof info.status_time === 'number' ? info.status_time : 0;
    return { ...row, reason: reason ? reasonText(reason)[locale] : kept, since };
  });
}

const keysOff = async (tx: Tx): Promise<KeysOff[]> =>
  rowsOf<KeysOff>(
    await tx.execute(sql`
      select c.id, c.name, dead.off, dead.since,
        (select count(*)::int from channel_keys k where k.channel_id = c.id) as count
      from (
        select channel_id, count(*)::int as off, max(disabled_at) as since from channel_keys
        where status = ${CHANNEL_STATUS.autoDisabled}::smallint group by channel_id
      ) dead join channels c on c.id = dead.channel_id
      where c.status = ${CHANNEL_STATUS.enabled}::smallint
      order by dead.since desc, c.id desc
      limit ${limits.overviewListed}`),
  );

/** Whether calls can be served. */
export interface ChannelReadiness {
  newest: { id: number; name: string } | null;
  /** One has passed a test. */
  has_passed: boolean;
  /** One that is enabled serves a model. */
  serves: boolean;
}

export async function channelReadiness({ orm }: Pick<Database, 'orm'>): Promise<ChannelReadiness> {
  const [row] = rowsOf<{ id: number | null; name: string | null; has_passed: boolean; serves: boolean }>(
    await orm.execute(sql`
      select newest.id, newest.name,
        exists (select 1 from channels where response_time > 0) as has_passed,
        exists (select 1 from abilities where enabled) as serves
      from (select 1) one left join (select id, name from channels order by id desc limit 1) newest on true`),
  );
  const { id = null, name = null, has_passed = false, serves = false } = row ?? {};
  return { newest: id === null ? null : { id, name: name ?? '' }, has_passed, serves };
}

const sums = (from: number) => sql`
  sums as (
    select channel_id, sum(ok)::bigint as ok, sum(slow)::bigint as slow, sum(failed)::bigint as failed,
      sum(answer_ms)::bigint as ms
    from channel_quarters where quarter >= ${from}::bigint group by channel_id
  )`;

async function channelDays(tx: Tx, from: number): Promise<ChannelDay[]> {
  const rows = rowsOf<Omit<ChannelDay, 'quarters'> & { quarters: string }>(
    await tx.execute(sql`
      with ${sums(from)}, most as (
        select * from sums join channels c on c.id = channel_id
        order by sums.ok + sums.slow + sums.failed desc, channel_id limit ${limits.overviewListed}
      )
      select most.id, most.name, most.status, most.ok, most.slow, most.failed,
        jsonb_agg(jsonb_build_array((q.quarter - ${from}::bigint) / ${QUARTER_SEC}::bigint, q.ok, q.slow, q.failed)
          order by q.quarter)::text as quarters
      from most join channel_quarters q on q.quarter >= ${from}::bigint and q.channel_id = most.id
      group by most.id, most.name, most.status, most.ok, most.slow, most.failed
      order by most.ok + most.slow + most.failed desc, most.id`),
  );
  return rows.map((row) => ({ ...row, quarters: JSON.parse(row.quarters) }));
}

const slowest = async (tx: Tx, from: number): Promise<SlowChannel[]> =>
  rowsOf<SlowChannel>(
    await tx.execute(sql`
      with ${sums(from)}
      select c.id, c.name, (sums.ms / (sums.ok + sums.slow))::bigint as ms, (sums.ok + sums.slow)::bigint as answers
      from sums join channels c on c.id = channel_id where sums.ok + sums.slow > 0
      order by 3 desc, 1 limit ${limits.overviewSlowest}`),
  );
